// The editing commands: the words become operations, and these one commit, or with --dry-run a preview.

import { PactError } from '../../errors/index.js'
import { createContext } from '../../context/index.js'
import { oneLine, summaryContent, type JsonValue } from '../../core/index.js'
import type { Operation } from '../../edit/index.js'
import type { Receipt } from '../../api/index.js'
import {
  commitOperations,
  memoryPool,
  makeContext,
  planCompaction,
  previewOperations,
  type Result,
} from '../../commands/index.js'
import { clipLine } from '../columns.js'
import { diffLines } from '../diff-lines.js'
import { count, flag, number, openFile, text, textOrStdin, wholeText, word } from '../given.js'
import { ROLES } from '../table-edit.js'
import { changesOf, contentOf, headerOf } from '../header-options.js'
import { nearId } from '../near-ids.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'
import { UsageError } from '../usage-error.js'

/** Operations before the engine has checked them. */
type Loose = Readonly<Record<string, JsonValue>>

export const add: Action = async (call) => {
  const header = headerOf(call.options)
  const operations: Loose[] = []
  for (const [name, given] of call.sequence) {
    const op = ROLES.find((role) => role === name)
    if (op === undefined) continue
    const content = contentOf(await textOrStdin(call, given), call.options)
    operations.push(op === 'system' ? { op: 'add', region: 'system', content, header } : { op, content, header })
  }
  if (operations.length === 0) throw new UsageError(`add needs one of ${ROLES.map((op) => `--${op}`).join(', ')}.`)
  return commit(call, operations, true)
}

export const compact: Action = async (call) => {
  const [keep, file] = [number(call.options, 'keep'), text(call.options, 'summary')]
  const isPlan = flag(call.options, 'plan')
  if (isPlan === (file !== undefined)) throw new UsageError('compact needs either --plan or --summary <file>.')
  const plan = await planCompaction(await call.pool(), { id: word(call, 0), ...(keep === undefined ? {} : { keep }) })
  if (file === undefined) {
    await call.answer(plan, () => planLines(plan))
    return 0
  }
  const summary = (await wholeText(openFile(call, file))).trim()
  if (summary === '') throw new UsageError('The summary is empty.')
  if (plan.nodes.length === 0) throw new UsageError('There is nothing to compact; a smaller --keep may find something.')
  return commit(call, [{ op: 'compact', nodes: plan.nodes, content: summaryContent(summary) }])
}

/** The nodes that would go in one line, the others by reason, and the prompt. */
function planLines({ nodes, tokens, stays, prompt }: Result<'compaction'>): readonly TextLine[] {
  const ids = nodes.slice(0, 10).map(({ id }) => oneLine(id))
  const more = nodes.length > 10 ? ` and ${count(nodes.length - 10)} more` : ''
  const reasons = [...new Set(stays.map(({ why }) => why))].map((why) => {
    return `${count(stays.filter((each) => each.why === why).length)} ${why}`
  })
  return [
    [['good', `${count(nodes.length, 'node')} of ${count(Math.round(tokens), 'token')} would go`]],
    ...(ids.length === 0 ? [] : [[['plain', `  ${ids.join(' ')}${more}`] as const]]),
    [['dim', `stay: ${reasons.join(', ') || 'none'}`]],
    [['plain', '']],
    ...prompt.split('\n').map((line): TextLine => [['plain', line]]),
  ]
}

export const put: Action = async (call) => {
  const content = await contentAt(call, 2)
  return commit(
    call,
    [{ op: 'put', key: word(call, 1), content, header: headerOf(call.options), ...region(call) }],
    true,
  )
}

export const insert: Action = async (call) => {
  const content = await contentAt(call, 2)
  const spec = { content, ...headerOf(call.options) }
  return commit(call, [{ op: 'insert', spec, position: positionOf(word(call, 1)), ...region(call) }], true)
}

export const replace: Action = async (call) => {
  const content = call.arguments[2] === undefined ? {} : { content: await contentAt(call, 2) }
  const spec = { ...headerOf(call.options), ...content }
  if (Object.keys(spec).length === 0) throw new UsageError('replace needs a text, or a header to change.')
  return commit(call, [{ op: 'replace', selector: word(call, 1), spec, ...region(call) }])
}

export const move: Action = (call) =>
  commit(call, [{ op: 'move', selector: word(call, 1), position: positionOf(word(call, 2)), ...region(call) }])

export const remove: Action = (call) => {
  const [author, reason] = [text(call.options, 'author'), text(call.options, 'reason')]
  const options = { ...(author === undefined ? {} : { author }), ...(reason === undefined ? {} : { reason }) }
  return commit(call, [{ op: 'delete', selector: word(call, 1), options, ...region(call) }])
}

export const update: Action = (call) => {
  const changes = changesOf(call.options)
  if (Object.keys(changes).length === 0) {
    throw new UsageError('update needs something to change: --ttl, --priority, --pinned or --tag.')
  }
  return commit(call, [{ op: 'update', selector: word(call, 1), changes, ...region(call) }])
}

export const apply: Action = async (call) => {
  const operations = parseOperations(await wholeText(openFile(call, call.arguments[1] ?? '-')))
  if (operations.length === 0) throw new UsageError('apply needs at least one operation; nothing was committed.')
  return commit(call, operations, true)
}

/** A JSON list, one operation, or one on each line. */
function parseOperations(given: string): readonly Loose[] {
  const parsed = tryJson(given)
  if (Array.isArray(parsed)) return parsed as readonly Loose[]
  if (parsed !== undefined) return [parsed as Loose]
  const lines = given.split('\n').map((line, i) => ({ line: line.trim(), at: i + 1 }))
  return lines
    .filter(({ line }) => line !== '')
    .map(({ line, at }) => {
      const value = tryJson(line)
      if (value === undefined) throw new UsageError(`Line ${at} of the operations is not JSON.`)
      return value as Loose
    })
}

function tryJson(given: string): JsonValue | undefined {
  try {
    return JSON.parse(given) as JsonValue
  } catch {
    return undefined
  }
}

async function contentAt(call: Call, at: number): Promise<JsonValue> {
  return contentOf(await textOrStdin(call, word(call, at)), call.options)
}

function region(call: Call): Loose {
  return flag(call.options, 'inSystem') ? { region: 'system' } : {}
}

/** `(d2, end)` as a text; JSON such as {"parent": "…"} as its value. */
function positionOf(given: string): JsonValue {
  return given.trimStart().startsWith('{') ? (tryJson(given) ?? given) : given
}

/** Commits operations as one cycle. With `mayMake`, a missing context is made. */
async function commit(call: Call, given: readonly Loose[], mayMake = false): Promise<number> {
  const pool = await call.pool()
  const id = word(call, 0)
  const operations = given as unknown as readonly Operation[]
  const base = number(call.options, 'base')
  const input = { id, operations, base }
  const isNew = mayMake && (await isMissing(call, id))
  if (flag(call.options, 'dryRun')) {
    // A missing context is previewed as an empty one.
    const previewed = await previewOperations(isNew ? memoryPool(createContext({ id })) : pool, input)
    const makes = isNew ? `the new context ${JSON.stringify(id)} with ` : ''
    await call.answer(previewed, () => [
      ...diffLines(previewed.diff, 'list').map((line) => clipLine(line, call.terminal.width)),
      ...thoughtLines(previewed.stale_thoughts),
      [['dim', oneLine(`Nothing was changed; a commit would make ${makes}cycle ${previewed.cycle}.`)]],
    ])
    return 0
  }
  if (isNew) {
    // A refused edit leaves no empty context behind.
    await previewOperations(memoryPool(createContext({ id })), input)
    await make(call, id)
  }
  const [key, author] = [text(call.options, 'once'), text(call.options, 'author')]
  const committed = await persistently(base, () => commitOperations(pool, { ...input, key, author }))
  await call.answer(committed, () => {
    const again = committed.repeated === true ? ' (committed before, under the same key)' : ''
    const ids = [...new Set(committed.ids.flat())]
    return [
      [
        ['good', `@c${committed.cycle}`],
        [
          'plain',
          ` ${ids
            .slice(0, 10)
            .map((each) => oneLine(each))
            .join(' ')}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}${again}`,
        ],
      ],
      ...receiptLines(committed.receipt),
    ]
  })
  return 0
}

/** The price of an edit in thoughts that Claude has signed. */
function thoughtLines(lost: number): readonly TextLine[] {
  if (lost < 1) return []
  const what = lost === 1 ? '1 signed thought' : `${lost} signed thoughts`
  return [[['warn', `Requests would lose ${what}: something before them changes.`]]]
}

/** Tries of an edit while other processes commit first. */
const TRIES = 40

/** A command without a base builds on the newest commit, whichever it is. */
async function persistently<T>(base: number | undefined, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isBeaten = PactError.is(error) && error.code === 'E_CONFLICT' && error.details['head'] !== undefined
      if (base !== undefined || !isBeaten || tries >= TRIES) throw error
      // Spread the retries of several processes.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
    }
  }
}

async function isMissing(call: Call, id: string): Promise<boolean> {
  const pool = await call.pool()
  try {
    await pool.state(id)
    return false
  } catch (error) {
    if (PactError.is(error) && error.details['reason'] === 'missing') return true
    throw error
  }
}

async function make(call: Call, id: string): Promise<void> {
  const near = await nearId(id, await call.store())
  try {
    await makeContext(await call.pool(), { id })
  } catch (error) {
    // Another process has just made it.
    if (PactError.is(error) && error.code === 'E_CONFLICT') return
    throw error
  }
  if (call.isQuiet) return
  const also = near === undefined ? '' : ` There is also ${JSON.stringify(near)}.`
  call.terminal.note('warn', oneLine(`A new context: ${JSON.stringify(id)}.${also}`))
}

/** The nodes that pruning removed. */
export function receiptLines({ removed }: Receipt): readonly TextLine[] {
  const shown = removed.slice(0, 10)
  const lines = shown.map((each): TextLine => [['dim', `  pruned ${oneLine(each.id)} (${oneLine(each.rule)})`]])
  return removed.length > 10 ? [...lines, [['dim', `  and ${count(removed.length - 10)} more`]]] : lines
}
