// @ts-check
// The report as lines for a terminal. Every piece of text that came from a recording passes through `oneLine`, and every
// line is cut to the width in `paint`, so nothing here has to think about either.

import { oneLine } from 'pact-context'

import { clip, padEnd, wrap } from './text.mjs'

/**
 * @typedef {import('./text.mjs').Line} Line
 * @typedef {import('./text.mjs').Span} Span
 * @typedef {import('./text.mjs').Style} Style
 * @typedef {import('./run.mjs').Report} Report
 * @typedef {import('./run.mjs').Commit} Commit
 * @typedef {import('./run.mjs').Row} Row
 * @typedef {import('pact-context').Snapshot} Snapshot
 * @typedef {import('./run.mjs').Pruning} Pruning
 * @typedef {import('./conversation.mjs').Conversation} Conversation
 * @typedef {{ width: number, all: boolean }} View
 */

/** The number of turns shown without --all. */
const COMMITS_IN_FULL = 3
const COMMITS_LISTED = 8
const THREAD_ITEMS = 4

// The locale is named: the host's would make the output differ between machines.
const NUMBER = new Intl.NumberFormat('en-US')

const COORDINATE = 12
const LABEL = 15
const TTL = 8
const TOKENS = 10

/**
 * Lays out the guided tour.
 * @param {Report} report
 * @param {Snapshot} newest
 * @param {View} view
 * @returns {Line[]}
 */
export function renderReport(report, newest, view) {
  return [
    ...renderIntroduction(report, view),
    ...renderCommits(report, view),
    ...renderTree(report, newest, view),
    ...renderThread(report, view),
    ...renderProof(report, view),
    ...renderPruning(report, view),
    ...renderSurvival(report, view),
    ...renderNext(report),
  ]
}

/**
 * Lists the recordings and where they are from.
 * @param {readonly Conversation[]} conversations
 * @returns {Line[]}
 */
export function renderList(conversations) {
  return conversations.flatMap(
    /** @returns {Line[]} */ ({ name, title, turns, messages, source, licence }) => [
      [
        ['bold', padEnd(name, 12)],
        ['plain', oneLine(title)],
      ],
      [
        ['dim', `${' '.repeat(12)}${count(turns.length, 'turn')}, ${count(messages, 'message')}; `],
        ['dim', `${place(source)}, ${oneLine(licence)}`],
      ],
    ],
  )
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
    [`const ctx = createContext({ id: '${clip(oneLine(name), 20)}' })`, '', ''],
    ['ctx.system.add(policy)', '^sys', 'above every turn: depth -1'],
    ["ctx.pre('Plan …', { ttl: 1 })", '^ah', 'before the turn, in one snapshot'],
    ["ctx.user('…'); ctx.assistant('…')", '^ah', 'the turn itself: its core'],
    ["ctx.post('Retrieved …', { ttl: 2 })", '^ah', 'after the turn, in two snapshots'],
    ['ctx.commit()', '^seq', 'the head becomes a sealed segment'],
  ]
  return [
    [['title', 'PACT: LLM context as a tree with addresses, lifetimes and an unchanging past']],
    [['bold', oneLine(title)]],
    [
      [
        'dim',
        `${count(messages, 'message')} in ${count(turns, 'turn')}, from ${place(source)} (${oneLine(licence)}), `,
      ],
      ['dim', oneLine(record)],
    ],
    [],
    ...steps.map(
      /** @returns {Line} */ ([code, region, meaning]) => [
        ['code', `  ${padEnd(code, 36)}`],
        ['place', padEnd(region, 6)],
        ['dim', meaning],
      ],
    ),
    ...prose(view, 'Blocks marked [demo] are added here to show TTLs; the rest is the recording.'),
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
    ...prose(view, 'd1 is the turn just sealed, d2 the one before. Segments and cores count too.'),
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
  return [[style, `    ${sign} `], ['place', padEnd(`${row.coordinate} `, COORDINATE)], ...rowColumns(row, time)]
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
 * @param {Snapshot} newest
 * @param {View} view
 * @returns {Line[]}
 */
function renderTree({ commits }, newest, view) {
  const everything = { segments: Infinity, full: Infinity, children: Infinity, lines: Infinity }
  return [
    ...heading('2', `The tree at @t0, the newest of ${count(commits.length, 'snapshot')}`),
    ...prose(view, '(depth, offset, …): an offset below 0 is pre-context, 0 core, above 0 post.'),
    // The terminal cuts the lines, so the contents need not be cut before.
    ...newest.outline({ ...(view.all ? everything : {}), preview: Infinity }),
    ...(view.all ? [] : prose(view, 'console.log(snapshot) prints this; --all shows every segment.')),
  ]
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
    ...prose(view, 'The tree in document order, as canonical bytes that any machine reproduces.'),
    ...thread.items.slice(0, shown).map(/** @returns {Line} */ (item) => [['plain', `  ${oneLine(item)}`]]),
  ]
  if (more > 0) lines.push([['dim', `  … ${count(more, 'more item')}; --all shows them`]])
  lines.push([['bold', `  ${count(thread.items.length, 'item')}, ${number(thread.bytes)} bytes`]])
  lines.push([['dim', `  sha256 ${thread.sha256}`]])
  const shared = commits.at(-1)?.sharedWithPrevious
  if (shared !== undefined && shared !== null) {
    const percent = shared.of === 0 ? 0 : Math.floor((100 * shared.bytes) / shared.of)
    lines.push([
      ['good', `  ${number(shared.bytes)} bytes (${percent}%)`],
      ['plain', ' begin like the thread before: what a prompt cache can reuse.'],
    ])
    if (shared.brokenBy !== null) {
      const { id } = shared.brokenBy
      lines.push([
        ['dim', `  What ended it: ${id} (${label(shared.brokenBy)}) ${shared.left ? 'is gone' : 'changed'}.`],
      ])
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
    ...prose(view, "SHA-256 of each snapshot's bytes: at its commit, and now, commits later."),
    ...shown.flatMap(
      /** @returns {Line[]} */ ({ lens, cycle, atCommit, now, same: equal }) => [
        [['place', `  ${padEnd(lens, 6)}`], ['plain', `commit ${cycle}`], verdict(equal)],
        [['dim', `    then ${atCommit}`]],
        [['dim', `    now  ${now}`]],
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
      /** @returns {Line} */ ({ row, priority, age, size }) => [
        ['bad', '    − '],
        ['place', padEnd(`${row.coordinate} `, COORDINATE)],
        ['plain', padEnd(clip(label(row), LABEL - 1), LABEL)],
        ['dim', padEnd(`priority ${priority}, age ${age}, ${count(size, 'byte')}`, 32)],
        ['plain', preview(row)],
      ],
    ),
    ...prose(
      view,
      `Receipt of commit ${cycle} (${oneLine(removed[0]?.rule)}): ${explainRemoval(removed)}${explainUnmet(unmet)}`,
    ),
  ]
}

/** @param {Pruning['removed']} removed */
function explainRemoval(removed) {
  const calls = removed.filter(({ row }) => row.kind === 'call').length
  const results = removed.filter(({ row }) => row.kind === 'result').length
  if (calls === 0 || results === 0) return 'the lowest priority goes first, then the oldest.'
  return `one node too many, ${removed.length} went: a call never stays without its ${results > 1 ? 'results' : 'result'}.`
}

/** @param {unknown} unmet */
function explainUnmet(unmet) {
  const missed = Array.isArray(unmet) ? unmet.length : 0
  return missed === 0 ? '' : ` ${count(missed, 'limit')} could not be met.`
}

/**
 * @param {Report} report
 * @param {View} view
 * @returns {Line[]}
 */
function renderSurvival({ survival, pruning }, view) {
  const title = heading(pruning === null ? '5' : '6', 'A context that survives its process')
  if (survival === null) {
    return [...title, ...prose(view, 'Not shown: there is no SQLite here (npm left @photostructure/sqlite out).')]
  }
  const { id, snapshots, same, cycle, open, rows, sound, bytes } = survival
  return [
    ...title,
    [['code', `  const store = await openStore('sqlite:demo.db'); await store.put(ctx, '${id}')`]],
    [['code', `  const stored = await store.open('${id}'); stored.user('…'); await stored.commit()`]],
    ...prose(view, 'Then the store is closed, and opened as another process would.'),
    [
      ['plain', `  ${same} of ${count(snapshots, 'snapshot')} as they were, and commit ${cycle}`],
      ['plain', open === 0 ? '; what was not committed is gone' : '; MORE THAN WAS COMMITTED'],
      verdict(same === snapshots),
    ],
    [
      ['plain', `  fsck: ${count(rows, 'row')} checked, ${number(bytes)} bytes on disk`],
      sound ? ['good', '  sound'] : ['bad', '  DAMAGED'],
    ],
  ]
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
      other === 'stocks' ? 'Chinese; --list names the others' : 'parallel calls; --list names the others',
    ],
    ['npm start -- --conversation ./chat.json', 'your own list of messages'],
    ['npm start -- --all', 'every turn; --json gives it as data'],
  ]
  return [
    ...heading('→', 'Three things to try next'),
    ...next.map(
      /** @returns {Line} */ ([command, meaning]) => [
        ['code', `  ${padEnd(command, 41)}`],
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

/**
 * Zone, role and kind. Inside a core the zone goes without saying: a turn is mostly core.
 * @param {Row} row
 */
function label({ zone, role, kind }) {
  return oneLine([zone === 'core' ? null : zone, role, kind].filter((part) => part !== null).join(' '))
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
  return NUMBER.format(value)
}

/** @param {string} source */
function place(source) {
  return oneLine(source.replace('https://github.com/', ''))
}
