// @ts-check
// The report as lines for a terminal. Every piece of text that came from a recording passes through `oneLine`, and every
// line is cut to the width in `paint`, so nothing here has to think about either.

import { clip, columns, escapeText, oneLine, padEnd, wrap } from './text.mjs'

/**
 * @typedef {import('./text.mjs').Line} Line
 * @typedef {import('./text.mjs').Span} Span
 * @typedef {import('./text.mjs').Style} Style
 * @typedef {import('./run.mjs').Report} Report
 * @typedef {import('./run.mjs').Commit} Commit
 * @typedef {import('./run.mjs').Row} Row
 * @typedef {import('./run.mjs').Tree} Tree
 * @typedef {import('./run.mjs').Pruning} Pruning
 * @typedef {import('./conversation.mjs').Conversation} Conversation
 * @typedef {{ width: number, all: boolean }} View
 */

/** How much of a run is shown without --all. */
const COMMITS_IN_FULL = 3
const COMMITS_LISTED = 8
const SEGMENTS_IN_FULL = 2
const SEGMENTS_LISTED = 6
const THREAD_ITEMS = 4

const COORDINATE = 12
const ZONE = 5
const LABEL = 15
const TTL = 7
const TOKENS = 11

/**
 * Lays out the guided tour.
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
export function renderReport(report, view) {
  return [
    ...renderIntroduction(report, view),
    ...renderCommits(report, view),
    ...renderTree(report, view),
    ...renderThread(report, view),
    ...renderProof(report, view),
    ...renderPruning(report, view),
    ...renderNext(report),
  ]
}

/**
 * Lists the recordings, one line each.
 * @param {readonly Conversation[]} conversations
 * @returns {Line[]}
 */
export function renderList(conversations) {
  return conversations.map((conversation) => [
    ['bold', padEnd(conversation.name, 12)],
    ['dim', padEnd(`${count(conversation.turns.length, 'turn')}, ${count(conversation.messages, 'message')}`, 22)],
    ['plain', `${oneLine(conversation.title)} `],
    ['dim', `${place(conversation.source)}, ${oneLine(conversation.licence)}`],
  ])
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderIntroduction({ conversation }, view) {
  const { name, title, turns, messages, source, licence, record } = conversation
  /** @type {readonly [code: string, region: string, meaning: string][]} */
  const steps = [
    [`const ctx = createContext({ id: '${clip(escapeText(name), 20)}' })`, '', ''],
    ['ctx.system.add(policy)', '^sys', 'above every turn'],
    ["ctx.pre('Plan …', { ttl: 1 })", '^ah', 'before the turn, in one snapshot only'],
    ["ctx.user('…'); ctx.assistant('…')", '^ah', 'the turn itself: its core'],
    ["ctx.post('Retrieved …', { ttl: 2 })", '^ah', 'after the turn, in two snapshots'],
    ['ctx.commit()', '^seq', 'the head, sealed as a segment: its bytes never change'],
  ]
  return [
    [['title', 'PACT: LLM context as a tree, with an address for every block and a past that never changes']],
    [['bold', oneLine(title)]],
    [
      ['dim', `${count(messages, 'message')} in ${count(turns, 'turn')}, recorded in ${place(source)} `],
      ['dim', `(${oneLine(licence)}): ${oneLine(record)}`],
    ],
    [],
    ...steps.map(
      /** @returns {Line} */ ([code, region, meaning]) => [
        ['code', `  ${padEnd(code, 38)}`],
        ['place', padEnd(region, 6)],
        ['dim', meaning],
      ],
    ),
    ...prose(view, 'Blocks that begin with [demo] are added here to show TTLs; all the rest is the recording.'),
  ]
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderCommits({ commits }, view) {
  const full = view.all ? commits.length : COMMITS_IN_FULL
  const listed = view.all ? commits.length : COMMITS_LISTED
  /** @type {Line[]} */
  const lines = [
    ...heading('1', `${count(commits.length, 'commit')}, and what each one changed: + new, − gone, ~ ttl ran down`),
    ...prose(
      view,
      'Depth counts back from now: d1 is the turn just sealed, d-1 the system. Counts include the segment and its core.',
    ),
  ]
  for (const [at, commit] of commits.slice(0, listed).entries()) {
    lines.push(commitHeading(commit))
    if (at < full) lines.push(...commitRows(commit))
  }
  if (commits.length > full) {
    const more = commits.length > listed ? `${commits.length - listed} more commits; ` : ''
    lines.push([['dim', `  … ${more}--all shows every commit in full`]])
  }
  return lines
}

/**
 * @param {Commit} commit
 * @returns {Line}
 */
function commitHeading({ cycle, turn, added, gone, ttl, nodes, thread }) {
  /** @type {readonly [style: Style, text: string][]} */
  const changes = [
    ['good', padEnd(added.length > 0 ? `+${added.length}` : '', 4)],
    ['bad', padEnd(gone.length > 0 ? `−${gone.length}` : '', 4)],
    ['time', padEnd(ttl.length > 0 ? `~${ttl.length}` : '', 4)],
  ]
  return [
    ['bold', padEnd(`  commit ${cycle}`, 13)],
    ...changes,
    ['dim', `${count(nodes, 'node')}, thread ${number(thread.bytes)} bytes`],
    ['dim', turn === null ? '; nothing was said, time passes' : ''],
  ]
}

/**
 * @param {Commit} commit
 * @returns {Line[]}
 */
function commitRows({ added, gone, ttl }) {
  const blocks = added.filter((row) => row.nodeType === 'block')
  return [
    ...blocks.map((row) => changeRow(['good', '+'], row, ttlText(row.ttl))),
    ...gone.map(({ row, why }) => changeRow(['bad', '−'], row, why === 'ttl' ? 'expired' : 'pruned')),
    ...ttl.map(({ row, from, to }) => changeRow(['time', '~'], row, `${from ?? '∞'} → ${to ?? '∞'}`)),
  ]
}

/**
 * @param {Span} sign
 * @param {Row} row
 * @param {string} time
 * @returns {Line}
 */
function changeRow([style, sign], row, time) {
  return [
    [style, `    ${sign} `],
    ['place', padEnd(row.coordinate ?? '', COORDINATE)],
    ['dim', padEnd(zoneText(row), ZONE)],
    ...rowColumns(row, time),
  ]
}

/**
 * The columns that every list of nodes shares; the preview is last, so that its width disturbs nothing.
 * @param {Row} row
 * @param {string} time
 * @returns {Span[]}
 */
function rowColumns(row, time) {
  return [
    ['plain', padEnd(clip(label(row), LABEL - 1), LABEL)],
    ['time', padEnd(time, TTL)],
    ['dim', `${tokenText(row.tokens).padStart(TOKENS)}  `],
    ['plain', preview(row)],
  ]
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderTree({ tree, commits }, view) {
  /** @type {Line[]} */
  const lines = [
    ...heading('2', `The tree at @t0, the newest of ${count(commits.length, 'snapshot')}`),
    ...prose(view, 'A coordinate is (depth, offset, …): below 0 is pre-context, 0 the core, above 0 post-context.'),
  ]
  for (const [at, region] of tree.children.entries()) {
    const last = at === tree.children.length - 1
    lines.push([
      ['dim', last ? '  └─ ' : '  ├─ '],
      ['bold', padEnd(region.nodeType, 6)],
      ['dim', aboutRegion(region)],
    ])
    lines.push(...renderChildren(region, last ? '     ' : '  │  ', view))
  }
  return lines
}

/** @param {Tree} region */
function aboutRegion(region) {
  if (region.nodeType === '^sys') return 'depth -1, the system'
  if (region.nodeType === '^seq') return `${count(region.children.length, 'sealed segment')}, oldest first`
  return `depth 0, the active head: ${region.children.length === 0 ? 'empty, ' : ''}the next turn is written here`
}

/**
 * @param {Tree} parent
 * @param {string} indent
 * @param {View} view
 * @returns {Line[]}
 */
function renderChildren(parent, indent, view) {
  /** @type {Line[]} */
  const lines = []
  const { children } = parent
  const sealed = parent.nodeType === '^seq'
  const skipped = sealed && !view.all ? Math.max(0, children.length - SEGMENTS_LISTED) : 0
  if (skipped > 0) lines.push([['dim', `${indent}├─ … ${count(skipped, 'older segment')}; --all shows them`]])
  for (const [at, child] of children.entries()) {
    if (at < skipped) continue
    const last = at === children.length - 1
    const branch = `${indent}${last ? '└─ ' : '├─ '}`
    const folded = sealed && !view.all && children.length - at > SEGMENTS_IN_FULL
    lines.push(treeRow(child, branch, folded))
    if (!folded) lines.push(...renderChildren(child, `${indent}${last ? '   ' : '│  '}`, view))
  }
  return lines
}

/** Wide enough for the deepest branch and its coordinate, so that the columns to the right line up. */
const BRANCH = 27

/**
 * @param {Tree} row
 * @param {string} branch
 * @param {boolean} folded
 * @returns {Line}
 */
function treeRow(row, branch, folded) {
  const coordinate = row.coordinate ?? ''
  const room = BRANCH - columns(branch)
  /** @type {Line} */
  const start = [
    ['dim', branch],
    ['place', padEnd(coordinate, room)],
  ]
  if (row.nodeType === 'block')
    return [...start, ['dim', padEnd(zoneText(row), ZONE)], ...rowColumns(row, ttlText(row.ttl))]
  if (row.nodeType !== 'seg') return [...start, ['dim', padEnd(row.zone ?? '', ZONE)], ['plain', row.nodeType]]
  const inside = descendants(row).filter((node) => node.nodeType === 'block')
  const sum = inside.reduce((total, node) => total + node.tokens, 0)
  const about = `depth ${row.depth}, cycle ${row.cycle}, ${count(inside.length, 'block')}, ${tokenText(sum)}`
  return [...start, ['dim', padEnd('', ZONE)], ['plain', padEnd('seg', 6)], ['dim', folded ? `${about} …` : about]]
}

/**
 * Inside a core the zone goes without saying: a turn is mostly core.
 * @param {Row} row
 */
function zoneText(row) {
  return row.zone === 'core' ? '' : (row.zone ?? '')
}

/**
 * @param {Tree} tree
 * @returns {Tree[]}
 */
function descendants(tree) {
  return tree.children.flatMap((child) => [child, ...descendants(child)])
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderThread({ thread, commits }, view) {
  const shown = view.all ? thread.items.length : Math.min(THREAD_ITEMS, thread.items.length)
  const more = thread.items.length - shown
  /** @type {Line[]} */
  const lines = [
    ...heading('3', 'The thread: what a provider is sent'),
    ...prose(view, 'The tree in document order, as canonical bytes; adapters turn it into a request.'),
    ...thread.items.slice(0, shown).map(/** @returns {Line} */ (item) => [['plain', `  ${oneLine(item)}`]]),
  ]
  if (more > 0) lines.push([['dim', `  … ${count(more, 'more item')}; --all shows them`]])
  lines.push([
    ['bold', `  ${count(thread.items.length, 'item')}, ${number(thread.bytes)} bytes`],
    ['dim', `  sha256 ${thread.sha256}`],
  ])
  const shared = commits.at(-1)?.sharedWithPrevious
  if (shared !== undefined && shared !== null) {
    const percent = shared.of === 0 ? 0 : Math.floor((100 * shared.bytes) / shared.of)
    lines.push([
      ['good', `  ${number(shared.bytes)} bytes (${percent}%)`],
      ['plain', ' begin as in the thread before: that much a prompt cache can use again.'],
    ])
    if (shared.brokenBy !== null) {
      const { id } = shared.brokenBy
      lines.push([['dim', `  What ended it: ${id} (${label(shared.brokenBy)}) ${shared.left ? 'left' : 'changed'}.`]])
    }
  }
  return lines
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderProof({ proof }, view) {
  const { snapshots, roundTrip } = proof
  const same = snapshots.filter((snapshot) => snapshot.same).length
  const shown = view.all ? snapshots : snapshots.slice(1, 2)
  return [
    ...heading('4', 'The past stays as it was'),
    ...prose(view, 'SHA-256 of each snapshot, taken when it was committed and again now, after every later commit.'),
    ...shown.flatMap(
      /** @returns {Line[]} */ ({ lens, cycle, atCommit, now, same: equal }) => [
        [
          ['place', `  ${padEnd(lens, 6)}`],
          ['plain', `commit ${cycle}, then  `],
          ['dim', atCommit],
        ],
        [['plain', padEnd('', 8)], ['plain', padEnd('now', 16)], ['dim', now], verdict(equal)],
      ],
    ),
    [
      ['plain', `  ${same} of ${count(snapshots.length, 'snapshot')} unchanged; export, import, export: `],
      ['plain', `${number(roundTrip.bytes)} bytes`],
      verdict(roundTrip.same),
    ],
  ]
}

/**
 * @param {boolean} equal
 * @returns {Span}
 */
function verdict(equal) {
  return equal ? ['good', '  same'] : ['bad', '  DIFFERENT']
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderPruning({ pruning }, view) {
  if (pruning === null) return []
  const { policy, cycle, removed, unmet } = pruning
  return [
    ...heading('5', 'The same conversation with a budget one node too small'),
    [
      [
        'code',
        `  createContext({ prune: { maxNodes: ${policy.maxNodes}, protectSegments: ${policy.protectSegments} } })`,
      ],
    ],
    ...removed.map(
      /** @returns {Line} */ ({ row, rule, priority, age, size }) => [
        ['bad', '    − '],
        ['place', padEnd(row.coordinate ?? '', COORDINATE)],
        ['plain', padEnd(clip(label(row), LABEL - 1), LABEL)],
        ['dim', padEnd(`${rule}, priority ${priority}, age ${age}, ${count(size, 'byte')}`, 44)],
        ['plain', preview(row)],
      ],
    ),
    ...prose(view, `The receipt of commit ${cycle}. ${explainRemoval(removed)}${explainUnmet(unmet)}`),
  ]
}

/** @param {Pruning['removed']} removed */
function explainRemoval(removed) {
  const calls = removed.filter(({ row }) => row.kind === 'call').length
  const results = removed.filter(({ row }) => row.kind === 'result').length
  if (calls === 0 || results === 0) return 'The lowest priority goes first, then the oldest.'
  return `One node had to go and ${removed.length} went: a call never stays without its ${results > 1 ? 'results' : 'result'}.`
}

/** @param {unknown} unmet */
function explainUnmet(unmet) {
  const missed = Array.isArray(unmet) ? unmet.length : 0
  return missed === 0 ? '' : ` ${count(missed, 'limit')} could not be met.`
}

/**
 * @param {Report} report
 * @returns {Line[]}
 */
function renderNext({ conversation }) {
  const other = conversation.name === 'stocks' ? 'family' : 'stocks'
  /** @type {readonly [command: string, meaning: string][]} */
  const next = [
    [
      `npm start -- --conversation ${other}`,
      other === 'stocks' ? 'a Chinese one; --list names them all' : 'parallel calls; --list names them all',
    ],
    ['npm start -- --conversation ./chat.json', 'your own: a JSON file with a list of messages'],
    ['npm start -- --all', 'every turn in full; --json gives the run as data'],
  ]
  return [
    ...heading('→', 'Three things to try next'),
    ...next.map(
      /** @returns {Line} */ ([command, meaning]) => [
        ['code', `  ${padEnd(command, 42)}`],
        ['dim', meaning],
      ],
    ),
  ]
}

/**
 * @param {string} mark
 * @param {string} text
 * @returns {Line[]}
 */
function heading(mark, text) {
  return [[], [['title', `${mark}  ${text}`]]]
}

/**
 * @param {View} view
 * @param {string} text
 * @returns {Line[]}
 */
function prose({ width }, text) {
  return wrap(text, Math.max(20, width - 3)).map((line) => [['dim', `   ${line}`]])
}

/** @param {Row} row */
function label({ role, kind }) {
  return oneLine([role, kind].filter((part) => part !== null).join(' '))
}

/**
 * The content in one line; a call as it would be written in code.
 * @param {Row} row
 */
function preview({ kind, content }) {
  if (kind !== 'call') return oneLine(content)
  const calls = Array.isArray(content) ? content : [content]
  return oneLine(calls.map((call) => `${call?.name}(${JSON.stringify(call?.arguments)})`).join(', '))
}

/** @param {number | null} ttl */
function ttlText(ttl) {
  return ttl === null ? '' : `ttl ${ttl}`
}

/** @param {number} tokens */
function tokenText(tokens) {
  return `~${number(tokens)} tok`
}

/**
 * @param {number} amount
 * @param {string} noun
 */
function count(amount, noun) {
  return `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** @param {number} value */
function number(value) {
  // The locale is named: the host's would make the output differ between machines.
  return value.toLocaleString('en-US')
}

/** @param {string} source */
function place(source) {
  return oneLine(source.replace('https://github.com/', ''))
}
