// The tables of a result, as Markdown: for the terminal, docs/cost.md and README.md.

const percent = (part, whole) => {
  const share = whole === 0 ? 0 : (part / whole) * 100
  return share === 0 ? '0' : `${share.toFixed(1)} %`
}
const millions = (tokens, digits = 2) => (tokens / 1e6).toFixed(digits)

/** All measures of one set. */
export function setTable({ rows }, thoughts) {
  const stale = new Map(thoughts.rows.map((row) => [row.strategy, row]))
  const head = [
    'strategy',
    'sent',
    'from cache',
    'cost',
    "cost, Claude's rules",
    'invalid',
    'begins with a reply',
    'over budget',
    'ids still there',
    'stale thoughts',
  ]
  const body = rows.map((row) => [
    row.strategy,
    `${millions(row.sent, 1)} M`,
    percent(row.fromCache, row.sent),
    millions(row.cost),
    millions(row.strict),
    percent(row.invalid, row.requests),
    percent(row.headless, row.requests),
    percent(row.over, row.requests),
    row.needed === 0 ? '–' : percent(row.kept, row.needed),
    stale.has(row.strategy) ? percent(stale.get(row.strategy).stale, stale.get(row.strategy).requests) : '–',
  ])
  return markdown(head, body)
}

/** The cost on every set, against that of the full history, with the ids that are still there. */
export function costTable({ sets }) {
  const head = ['strategy', ...sets.map(({ name }) => name)]
  const body = sets[0].rows.map(({ strategy }, i) => [
    strategy,
    ...sets.map(({ rows }) => {
      const { cost, kept, needed } = rows[i]
      const ids = needed === 0 ? '' : `, ids ${percent(kept, needed)}`
      return `${millions(cost, 3)} (${(cost / rows[0].cost).toFixed(2)}×)${ids}`
    }),
  ])
  return markdown(head, body)
}

/** The strategies of the short table in README.md: the habits that people have, and what we recommend. */
const SHORT = [
  ['full history', 'full history'],
  ['LangChain `trimMessages`, `last`', 'LangChain `trimMessages`'],
  ['AI SDK `pruneMessages`, over budget, last 2', 'AI SDK `pruneMessages`, over budget'],
  ['summarise, keep 20, own request (simulated)', 'summaries, keep 20 (simulated)'],
  ['ours: `maxTokens` (default, `target: 0.6`)', 'ours: `maxTokens`'],
  ['ours: `target: 0.1`, `names: 100` (recommended)', 'ours: `target: 0.1`, `names: 100`'],
]

/** Cost against the full history and ids that are still there, on each set, for a few strategies. */
export function shortTable({ sets }) {
  const body = SHORT.map(([strategy, shown]) => [
    shown,
    ...sets.map(({ rows }) => {
      const row = rows.find((each) => each.strategy === strategy)
      if (row === undefined) throw new Error(`The result has no strategy ${strategy}.`)
      const ids = row.needed === 0 ? '' : ` (${Math.round((row.kept / row.needed) * 100)} %)`
      return `${(row.cost / rows[0].cost).toFixed(2)}×${ids}`
    }),
  ])
  const head = sets.map(({ name, requests, share }) => `${name}, ${requests} requests, budget ${share * 100} %`)
  return markdown(['strategy', ...head], body)
}

function markdown(head, body) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}

/** Both tables with a line about the data, as they are in the documents. */
export function tablesOf(result) {
  const [first] = result.sets
  const about = `${first.name}, ${first.conversations} session, ${first.messages} messages, ${first.requests} requests, budget ${first.share * 100} % (${Math.round(first.budget).toLocaleString('en-US')} tokens). Cost in millions of input tokens.`
  const others = result.sets.map(
    ({ name, conversations, requests, share }) =>
      `${name} (${conversations} conversation${conversations === 1 ? '' : 's'}, ${requests} requests, budget ${share * 100} %)`,
  )
  return [
    about,
    '',
    setTable(first, result.thoughts),
    '',
    `Cost on all sets, and ids still there: ${others.join(', ')}.`,
    '',
    costTable(result),
  ].join('\n')
}

const BEGIN = '<!-- cost table: npm run bench:cost -- --write -->'
const END = '<!-- end of cost table -->'

/** A document with the tables of a result between its marks: all of them, or the short one. */
export function withTables(document, result, isShort = false) {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`The document has no place for the table: ${BEGIN} … ${END}.`)
  return `${document.slice(0, from)}${BEGIN}\n\n${isShort ? shortTable(result) : tablesOf(result)}\n\n${document.slice(to)}`
}
