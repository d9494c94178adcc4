import fs from 'node:fs'
import path from 'node:path'

import { costContext, costFile, type CostFileOptions } from '../../commands/index.js'
import { rulesNamed, type Bill, type CacheBreak, type SessionCost } from '../../cost/index.js'
import { table, type Column } from '../columns.js'
import { checkFile, count, number, openFile, text, texts, whole } from '../given.js'
import { Progress } from '../progress.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'
import { UsageError } from '../usage-error.js'

type Budget = Readonly<{ tokens: number }> | Readonly<{ share: number; most: number }>

const USUAL_RULES = 'claude-5m'
/** Larger budgets say little: few agents send more. */
const USUAL_BUDGET: Budget = { share: 0.25, most: 100_000 }
const USUAL_BREAKS = 5

/** The sessions of a file or a context, and lines that held none. */
type Source = { name: string; sessions: Weighed[]; unread: { line?: number; what: string }[] }
type Weighed = SessionCost & Readonly<{ line?: number; id?: string }>

export const run: Action = async (call) => {
  const ids = texts(call.options, 'context') ?? []
  if (call.rest.length + ids.length === 0)
    throw new UsageError('Give a file, or a context of the store with --context.')
  const rules = text(call.options, 'rules') ?? USUAL_RULES
  const asked = text(call.options, 'budget')
  const budget = asked === undefined ? USUAL_BUDGET : budgetOf(asked)
  for (const file of call.rest) if (file !== '-') checkFile(file)
  const signal = call.interruptible()
  const options = { rules: rulesNamed(rules), budget, signal }
  const sources: Source[] = []
  for (const file of call.rest) sources.push(await weighFile(call, file, options))
  if (ids.length > 0) {
    const pool = await call.pool()
    for (const id of ids) sources.push({ name: id, sessions: [await costContext(pool, id, options)], unread: [] })
  }
  const listed = number(call.options, 'breaks') ?? USUAL_BREAKS
  const answer = { rules, sources: sources.map((source) => jsonOf(source, listed)) }
  await call.answer(answer, () => sources.flatMap((source) => linesOf(source, rules, listed, call.terminal.width)))
  if (signal.aborted) {
    call.terminal.note('warn', 'Stopped. The sessions that were read until then are counted.')
    return 130
  }
  const isCounted = ({ sessions, unread }: Source): boolean => {
    return sessions.some(({ sent }) => sent.requests > 0) && unread.length === 0
  }
  return sources.every(isCounted) ? 0 : 1
}

/** A number of tokens, or a share such as `25%`. */
function budgetOf(given: string): Budget {
  const [, share] = /^(\d+(?:\.\d+)?)\s*%$/.exec(given) ?? []
  if (share !== undefined && Number(share) > 0) return { share: Number(share) / 100, most: Infinity }
  if (share === undefined && /^\d+$/.test(given)) return { tokens: whole(1)(given) }
  throw new UsageError(`"${given}" is neither a number of tokens from 1 up nor a share such as 25%.`)
}

async function weighFile(call: Call, file: string, options: CostFileOptions): Promise<Source> {
  const progress = new Progress(call.terminal, `cost ${path.basename(file)}`, call.isQuiet)
  const size = file === '-' ? 0 : fs.statSync(file).size
  const source: Source = { name: file === '-' ? 'standard input' : file, sessions: [], unread: [] }
  let read = 0
  const words = (more = ''): string => `${count(source.sessions.length, 'session')}${more}`
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of openFile(call, file, options.signal)) {
      read += chunk.length
      progress.at(read, size, words())
      yield chunk
    }
  }
  const onProgress = (done: number, total: number): void =>
    progress.at(
      read < size ? read : done,
      read < size ? size : total,
      words(`, replayed ${count(done)} of ${count(total, 'request')}`),
    )
  for await (const found of costFile(counted(), { ...options, onProgress })) {
    if ('unread' in found) source.unread.push(found.unread)
    else source.sessions.push(found)
  }
  progress.end()
  return source
}

/** Sums, with the largest breaks of all sessions. */
function jsonOf({ name, sessions, unread }: Source, listed: number): object {
  return {
    name,
    ...totals(sessions),
    breaks: { ...breakTotals(sessions), largest: largest(sessions, listed) },
    sessions: sessions.map(({ breaks, strategies, ...rest }) => ({
      ...rest,
      strategies: strategies.map(({ name: strategy, bill }) => ({ name: strategy, ...bill })),
      breaks: breaks.toSorted(byCost).slice(0, listed),
    })),
    unread,
  }
}

type Totals = Readonly<{
  messages: number
  requests: number
  tokens: number
  recorded?: Readonly<{ requests: number; cost: number; read: number; sent: number; output: number }>
  strategies: readonly Summed[]
}>
type Summed = Readonly<{ name: string }> &
  Pick<Bill, 'requests' | 'sent' | 'cost' | 'invalid' | 'over'> & { strict: number; fromCache: number }

function totals(sessions: readonly Weighed[]): Totals {
  const sum = (of: (session: Weighed) => number): number => sessions.reduce((total, each) => total + of(each), 0)
  const names = sessions[0]?.strategies.map(({ name }) => name) ?? []
  const recorded = sessions.flatMap((each) => each.recorded ?? [])
  const all = (of: (each: (typeof recorded)[number]) => number): number =>
    recorded.reduce((total, each) => total + of(each), 0)
  return {
    messages: sum(({ messages }) => messages),
    requests: sum(({ sent }) => sent.requests),
    tokens: sum(({ tokens }) => tokens),
    ...(recorded.length === 0
      ? {}
      : {
          recorded: {
            requests: all(({ requests }) => requests),
            cost: all(({ cost }) => cost),
            read: all(({ read }) => read),
            sent: all(({ read, write, plain }) => read + write + plain),
            output: all(({ output }) => output),
          },
        }),
    strategies: [
      ...(sessions.some(({ sent, strategies }) => sent !== strategies[0]?.bill)
        ? [
            summed(
              'as sent',
              sessions.map(({ sent }) => sent),
            ),
          ]
        : []),
      ...names.map((name, i) =>
        summed(
          name,
          sessions.map(({ strategies }) => strategies[i]!.bill),
        ),
      ),
    ],
  }
}

function summed(name: string, bills: readonly Bill[]): Summed {
  const sum = (of: (bill: Bill) => number): number => bills.reduce((total, each) => total + of(each), 0)
  return {
    name,
    requests: sum(({ requests }) => requests),
    sent: sum(({ sent }) => sent),
    fromCache: sum(({ strict }) => strict.fromCache),
    strict: sum(({ strict }) => strict.cost),
    cost: sum(({ cost }) => cost),
    invalid: sum(({ invalid }) => invalid),
    over: sum(({ over }) => over),
  }
}

type NamedBreak = CacheBreak & Readonly<{ session: number; id?: string }>

function byCost(a: CacheBreak, b: CacheBreak): number {
  return b.cost - a.cost
}

function largest(sessions: readonly Weighed[], listed: number): readonly NamedBreak[] {
  const all = sessions.flatMap(({ breaks, id }, i) =>
    breaks.map((each): NamedBreak => ({ session: i + 1, ...(id === undefined ? {} : { id }), ...each })),
  )
  return all.toSorted(byCost).slice(0, listed)
}

function breakTotals(sessions: readonly Weighed[]): Readonly<{ count: number; lost: number; cost: number }> {
  const all = sessions.flatMap(({ breaks }) => breaks)
  return {
    count: all.length,
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    cost: all.reduce((sum, { cost }) => sum + cost, 0),
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'strategy' },
  ...['sent', 'from cache', 'cost', 'of full', 'invalid', 'over budget'].map((title): Column => ({
    title,
    align: 'right',
  })),
]

function linesOf(source: Source, rules: string, listed: number, width: number): readonly TextLine[] {
  const { name, sessions, unread } = source
  const notes = unread.slice(0, 10).map((each): TextLine => [
    ['warn', `${name}${each.line === undefined ? '' : `:${each.line}`}: `],
    ['plain', each.what],
  ])
  if (sessions.length === 0) return [...notes, [['bad', `${name} holds no session.`]]]
  const { messages, requests, tokens, recorded, strategies } = totals(sessions)
  const head = `: ${count(sessions.length, 'session')}, ${count(messages, 'message')}, ${count(requests, 'request')}, about ${count(tokens, 'token')}`
  const lines: TextLine[] = [
    ...notes,
    [
      ['bold', name],
      ['plain', head],
    ],
  ]
  if (requests === 0) return [...lines, [['bad', 'It holds no reply of a model, so there is no request to count.']]]
  if (recorded !== undefined) {
    const share = percent(recorded.read, recorded.sent)
    const said = `${millions(recorded.cost)} for ${count(recorded.requests, 'request')}, ${share} of the input from the cache, ${count(recorded.output, 'token')} of output`
    lines.push([
      ['plain', `The provider reported: `],
      ['bold', said],
    ])
  }
  const base = strategies.find(({ name: each }) => each === 'full history')!.strict
  lines.push(
    [],
    [
      [
        'dim',
        `Requests by the rules ${rules}, without output; budget ${budgetWords(sessions)}; cost in millions of input tokens`,
      ],
    ],
  )
  const rows = strategies.map((each) => [
    each.name,
    `${millions(each.sent)} M`,
    percent(each.fromCache, each.sent),
    millions(each.strict),
    `${base === 0 ? 1 : (each.strict / base).toFixed(2)}×`,
    percent(each.invalid, each.requests),
    percent(each.over, each.requests),
  ])
  lines.push(...table(COLUMNS, rows, width))
  lines.push([], ...breakLines(sessions, listed, recorded !== undefined))
  return lines
}

function breakLines(sessions: readonly Weighed[], listed: number, isReported: boolean): readonly TextLine[] {
  const { count: found, lost, cost } = breakTotals(sessions)
  if (found === 0) return [[['good', 'Nothing broke the cache.']]]
  const isOfAttempts = sessions.some(({ breaks }) => breaks.some(({ attempt }) => attempt !== undefined))
  const where = isOfAttempts ? 'by the attempts' : isReported ? 'as the provider reported' : 'by the rules'
  const head = `${count(found, 'call')} broke the cache (${where}): ${count(lost, 'token')} were not read from it, which cost ${millions(cost)}`
  return [
    [['bad', head]],
    ...largest(sessions, listed).map((each): TextLine => [
      [
        'plain',
        `  ${sessions.length > 1 ? `session ${each.session}, ` : ''}${each.attempt ?? `request ${each.request}`}`,
      ],
      ['dim', each.at === undefined ? '' : ` at ${new Date(each.at).toISOString()}`],
      ['plain', `: ${why(each)}; ${count(Math.round(each.lost), 'token')} ${priceWords(each)}`],
    ]),
    ...(isReported && !isOfAttempts ? [OF_USAGE] : []),
  ]
}

/** The inspector has no usage of a file, so its columns show other breaks. */
const OF_USAGE: TextLine = [
  ['dim', 'This is what the usage in the file says. pctx open shows which turns changed what came before them.'],
]

function priceWords({ cost }: CacheBreak): string {
  return cost === 0 ? 'again, too few to be cached' : `lost, cost ${millions(cost, 4)}`
}

function why({ why: reason, message, read, cause, attempt }: CacheBreak): string {
  if (cause !== undefined) return cause
  if (attempt !== undefined && reason === 'missed')
    return 'the request goes on from the one before, and the provider did not find it in its cache'
  if (reason === 'expired') return 'the entry had expired'
  if (reason === 'missed' && read === 0)
    return 'nothing was read, so the system text, the tools or the model had changed'
  if (reason === 'missed') return 'less was read than the call before had cached'
  return `message ${message} is not the one of the request before`
}

function budgetWords(sessions: readonly Weighed[]): string {
  const budgets = sessions.map(({ budget }) => budget)
  const [least, most] = [Math.min(...budgets), Math.max(...budgets)]
  return least === most ? count(most, 'token') : `${count(least)} to ${count(most, 'token')}`
}

function millions(tokens: number, digits = 3): string {
  return (tokens / 1e6).toFixed(digits)
}

function percent(part: number, whole: number): string {
  return part === 0 ? '0' : `${((part / whole) * 100).toFixed(1)} %`
}
