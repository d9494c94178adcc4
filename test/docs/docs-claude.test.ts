// Every example of the documentation, and every program in examples/, that makes requests for Claude is run with a Claude that refuses a thought
// whose beginning has changed, and that thinks in each of its replies. The examples are found, not listed: one whose requests are not judged fails.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Judged } from '../support/claude-watch.js'
import { asksClaude, makeClaudeHome, nameOf, programOf, watched, type ClaudeHome } from '../support/doc-claude.js'
import { readMarkdownExamples, runExamples, type Example } from '../support/doc-examples.js'
import { filesUnder, findExamples, readText, ROOT } from '../support/documents.js'

const PROGRAMS = filesUnder('examples', /\.ts$/).map((file) => programOf(file, readText(file)))
const ALL = [...findExamples(), ...PROGRAMS]
/** In chats the answers are UI messages that no Claude has made; test/stores/chat.test.ts judges them. */
const CHATS = ['docs/chats.md', 'examples/chat.ts']
/** Their packages are installed in test/node22 only, where they are run. */
const ELSEWHERE = ['examples/mastra.ts', 'examples/pi.ts']
const NOT_HERE = [...CHATS, ...ELSEWHERE]
const EXAMPLES = ALL.filter(({ file, source }) => asksClaude(source) && !NOT_HERE.includes(file))
/** The other ones in which a model speaks: they are played as if it were Claude. */
const SPOKEN = ALL.filter(
  ({ file, source, noRun }) =>
    noRun === undefined && !asksClaude(source) && !ELSEWHERE.includes(file) && /\.assistant\(/.test(source),
)

/** Those that change what is before a thought, and so lose it: where they are, the words by which they are known. All others keep every thought. */
const LOSE: readonly (readonly [file: string, words: string])[] = [
  // An edit of a question.
  ['docs/providers.md', `{ content: 'Is Bergen?' }`],
  // A call that was cut off is no part of later requests, and a thought that nothing follows has no message.
  ['docs/providers.md', `stop_reason: 'max_tokens'`],
  // A plan that changes and a document that leaves with each turn.
  ['examples/ai-sdk.ts', 'ttl: 1'],
  // A summary that Claude made is in place of the messages before it.
  ['docs/compaction.md', `type: 'summarize'`],
  // A limit that a request of the open turn passes.
  ['docs/options.md', 'A long one: '],
  // An edit before a thought, and a plan that changes.
  ['docs/guides/stale-thinking.md', 'It is July.'],
  ['docs/ten-questions.md', 'Plan: book the hotel'],
]

/** Those whose model is no Claude: its words are added by hand, without a thought. */
const BY_HAND = ['examples/over-http.ts', 'docs/guides/a-cache-that-misses.md', 'docs/guides/from-prune-messages.md']

/** Those that compare snapshots and send nothing, or make one request only: no request could have a thought. */
const TOO_FEW = ['docs/guides/a-cache-that-misses.md', 'docs/guides/from-prune-messages.md']

describe('the examples that make requests for Claude', () => {
  let home: ClaudeHome
  let outcomes: readonly (string | undefined)[]
  let judged: readonly Judged[]
  beforeAll(async () => {
    home = makeClaudeHome(ROOT)
    outcomes = await Promise.all(
      runExamples(
        EXAMPLES.map((example) => watched(example, false)),
        home,
        ROOT,
      ),
    )
    judged = home.judged()
  }, 300_000)
  afterAll(() => home?.remove())

  test('are in the README, the guides, the doc comments and examples/', () => {
    const files = new Set(EXAMPLES.map(({ file }) => file))
    for (const file of [
      'README.md',
      'docs/agents.md',
      'docs/providers.md',
      'examples/agent.ts',
      'src/context/edits.ts',
    ])
      expect(files).toContain(file)
    for (const [file, words] of LOSE) expect(EXAMPLES.filter((example) => isAt(example, file, words))).toHaveLength(1)
    expect(judged.length).toBeGreaterThan(100)
  })

  test.each(EXAMPLES.map((example, at) => [nameOf(example), at] as const))('%s', (name, at) => {
    const example = EXAMPLES[at]!
    expect(example.noRun).toBeUndefined()
    expect(outcomes[at]).toBeUndefined()
    const mine = judged.filter((each) => each.example === name)
    expect(mine.flatMap(({ refused }) => refused ?? [])).toEqual([])
    expect(mine.some(({ kept }) => kept > 0)).toBe(!BY_HAND.includes(example.file))
    const loses = LOSE.some(([file, words]) => isAt(example, file, words))
    expect(mine.some(({ made, kept }) => kept < made)).toBe(loses)
    if (!TOO_FEW.includes(example.file)) expect(mine.length).toBeGreaterThan(1)
  })
})

describe('the other examples in which a model speaks', () => {
  /** A change of a request before its end: such an example may lose thoughts. */
  const CHANGES = /\b(?:ttl|cad|prune)\b|\.(?:set|replace|delete|redact|update|move|insert|undo)\(/

  test('are not refused by Claude, and keep all thoughts if they only add', async () => {
    const home = makeClaudeHome(ROOT)
    const outcomes = await Promise.all(
      runExamples(
        SPOKEN.map((example) => watched(example, true)),
        home,
        ROOT,
      ),
    )
    const judged = home.judged()
    home.remove()
    expect(judged.filter(({ refused }) => refused !== undefined)).toEqual([])
    expect(outcomes.filter((problem) => problem !== undefined)).toEqual([])
    const adding = SPOKEN.filter(({ source }) => !CHANGES.test(source)).map(nameOf)
    const lost = judged.filter(({ made, kept }) => kept < made).map(({ example }) => example)
    expect(adding.filter((name) => lost.includes(name))).toEqual([])
    const again = judged.filter(({ kept }) => kept > 0).map(({ example }) => example)
    expect(new Set(again).size).toBeGreaterThan(40)
    expect(adding.filter((name) => again.includes(name)).length).toBeGreaterThanOrEqual(6)
    expect(judged.length).toBeGreaterThan(150)
  })
})

describe('the scripted Claude behind the examples', () => {
  /** Runs one made-up example; gives what went wrong, and the judgements. */
  async function play(code: string): Promise<readonly [string | undefined, readonly Judged[]]> {
    const [example] = readMarkdownExamples('made-up.md', `\`\`\`ts\n${code}\n\`\`\``)
    expect(asksClaude(example!.source)).toBe(true)
    const home = makeClaudeHome(ROOT)
    const [problem] = await Promise.all(runExamples([watched(example!, false)], home, ROOT))
    const judged = home.judged()
    home.remove()
    return [problem, judged]
  }
  const HEAD = `import { createContext } from 'pact-context'\nimport { receiveAnthropic, toAnthropic } from 'pact-context/anthropic'
const ctx = createContext()\nctx.user('Hi.')\nconst says = { role: 'assistant', content: 'Yes.', stop_reason: 'end_turn' }\n`

  test('refuses a request by hand that has a thought behind an edit', async () => {
    const [problem, judged] = await play(`${HEAD}receiveAnthropic(ctx, says)
ctx.replace("[content='Hi.']", { content: 'Hello.' })\ntoAnthropic(ctx, { thinking: 'all' })`)
    expect(problem).toContain('bound to a different conversation')
    expect(judged.filter(({ refused }) => refused !== undefined)).toHaveLength(1)
  })

  test('refuses an attempt that has a thought behind an edit, and sees the params', async () => {
    const [problem] = await play(`${HEAD}const options = { thinking: 'all' as const }
const params = (name: string) => ({ model: 'claude', tools: [{ name }] })
ctx.startAttempt({ for: toAnthropic, params: params('one') }).receive(says)
ctx.startAttempt({ for: toAnthropic, params: params('two'), options })`)
    expect(problem).toContain('bound to a different conversation')
  })

  test('counts the thoughts that a request has lost', async () => {
    const [problem, judged] = await play(`${HEAD}receiveAnthropic(ctx, says)\ntoAnthropic(ctx, { thinking: 'off' })`)
    expect(problem).toBeUndefined()
    expect(judged.map(({ made, kept }) => [made, kept])).toContainEqual([1, 0])
  })

  test('goes on with the context of an example after its end', async () => {
    const [, judged] = await play(`${HEAD}toAnthropic(ctx)`)
    expect(judged.map(({ kept }) => kept)).toEqual([0, 0, 1, 2])
  })
})

function isAt({ file, source }: Example, name: string, words: string): boolean {
  return file === name && source.includes(words)
}
