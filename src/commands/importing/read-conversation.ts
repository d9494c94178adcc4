// One conversation as JSON, read by the adapter of its format: a context with every turn committed. What the JSON holds beyond that is
// listed as unread, so that nothing is lost without a word.

import { describe, PactError } from '../../errors/index.js'
import {
  createContext,
  importSnapshot,
  importSnapshotAsync,
  type Context,
  type ContextOptions,
  type Pause,
} from '../../context/index.js'
import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { ADAPTERS, addMessage, specOf } from '../../adapters/index.js'
import type { FormatName, ImportFormat } from '../../formats/index.js'
import { fromLlamaFactory, fromPi, fromShareGpt, type Mapped } from './mapped.js'
import type { Said, Session, Step } from './plan.js'
import { play, type Deed, type Piece, type Pieces } from './play.js'
import { isExport, READ_SHAPES, saysNothing, shapeOf } from './shapes.js'

export type ReadOptions = Readonly<{
  /** `auto` finds out. */
  format?: ImportFormat | 'auto' | undefined
  /** Of the context that is made. */
  options?: ContextOptions | undefined
  /** Called with the number of steps that are in the context, after each message. */
  onStep?: ((done: number, total: number) => void) | undefined
}>

export type ReadConversation = Readonly<{
  context: Context
  format: ImportFormat
  messages: number
  /** Parts that are not in the context, by name. */
  unread: readonly string[]
  /** The steps by which the context was made. */
  deeds: readonly Deed[]
}>

/** Fields that hold the messages. */
export const LIST_KEYS: readonly string[] = ['messages', 'conversations', 'contents', 'input', 'output', 'steps']

/** Fields that hold text outside the messages. */
const ELSEWHERE = [...LIST_KEYS, 'prompt', 'choices', 'images']
const SYSTEM_KEYS = ['system', 'instructions', 'systemInstruction', 'system_instruction']

/** The field of the system text, by format. */
const TAKES: Readonly<Partial<Record<ImportFormat, readonly string[]>>> = {
  anthropic: ['system'],
  'ai-sdk': ['system'],
  bedrock: ['system'],
  'claude-code': ['system'],
  'openai-responses': ['instructions'],
  codex: ['instructions'],
  gemini: ['systemInstruction', 'system_instruction'],
  'gemini-interactions': ['system_instruction'],
}

/** Formats that have items, or leave the role of the user away. */
const ROLELESS: readonly ImportFormat[] = ['openai-responses', 'codex', 'gemini', 'gemini-interactions']

const MAPPED: Readonly<Partial<Record<ImportFormat, (messages: readonly JsonObject[]) => Mapped>>> = {
  sharegpt: fromShareGpt,
  'llamafactory-v1': fromLlamaFactory,
  'pi-agent': fromPi,
}

/** Reads a conversation, or says in one sentence why it cannot be read. */
export function readConversation(body: JsonValue, given: ReadOptions = {}): ReadConversation {
  if (isOurs(body, given)) return fromExport(importSnapshot(body, given.options))
  return atOnce(contextOf(planOf(body, given), given))
}

/** Reads a session of an agent, with its compactions and edits. */
export function readSession(session: Session, format: ImportFormat, given: ReadOptions): ReadConversation {
  return atOnce(contextOf(planOfSession(session, format), given))
}

function atOnce(steps: Generator<void, ReadConversation, undefined>): ReadConversation {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The same with pauses between messages. */
export async function readWithPauses(body: JsonValue, given: ReadOptions, pause: Pause): Promise<ReadConversation> {
  if (isOurs(body, given)) return fromExport(await importSnapshotAsync(body, given.options))
  const steps = contextOf(planOf(body, given), given)
  for (;;) {
    const pausing = pause()
    if (pausing !== undefined) await pausing
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The input is an export of this package, as text or as JSON. */
function isOurs(body: JsonValue, { format = 'auto' }: ReadOptions): body is string | JsonObject {
  if (format !== 'pact' && !(format === 'auto' && isExport(body))) return false
  if (typeof body === 'string' || isObject(body)) return true
  throw unreadable(`An export of this package is an object with a root, not ${describe(body)}.`)
}

function fromExport(context: Context): ReadConversation {
  const messages = context.thread('@t0').length
  return { context, format: 'pact', messages, unread: [], deeds: [] }
}

type Planned = Omit<ReadConversation, 'context'>

function planOf(body: JsonValue, { format: given = 'auto' }: ReadOptions): Planned {
  // Exports do not come here.
  const format = given as Exclude<typeof given, 'pact'>
  const record: JsonObject = isObject(body) ? body : { messages: body }
  const { key, messages } = messagesOf(record)
  const unread = new Set<string>()
  const said = [...messages, ...answersIn(record['response'], unread)].map((message, i) => {
    if (isObject(message)) return message
    throw unreadable(`messages[${i}] is not an object.`)
  })
  const shape = format === 'auto' ? shapeOf(record, said) : { format }
  if ('other' in shape) throw unreadable(`It looks like ${shape.other}. ${READ_SHAPES}`)
  if (!ROLELESS.includes(shape.format)) {
    const bare = said.findIndex(({ role, from }) => typeof (role ?? from) !== 'string')
    if (bare >= 0) throw unreadable(`messages[${bare}] has no role. ${READ_SHAPES}`)
  }
  const { pieces, lost } = piecesOf(shape.format, record, said)
  for (const each of lost) unread.add(each)
  for (const each of ELSEWHERE) if (each !== key && !saysNothing(record[each])) unread.add(each)
  for (const each of SYSTEM_KEYS)
    if (!(TAKES[shape.format] ?? []).includes(each) && !saysNothing(record[each])) unread.add(each)
  const deeds = pieces.map((piece): Deed => ({ say: [piece] }))
  return { deeds, format: shape.format, messages: said.length, unread: [...unread].toSorted() }
}

export function messagesOf(record: JsonObject): Readonly<{ key: string; messages: readonly JsonValue[] }> {
  const key = LIST_KEYS.find((each) => record[each] !== undefined)
  const given = key === undefined ? undefined : record[key]
  const messages = key === 'input' && typeof given === 'string' ? [{ role: 'user', content: given }] : given
  if (key !== undefined && Array.isArray(messages)) return { key, messages }
  throw unreadable(`It has no list of "messages". ${READ_SHAPES}`)
}

/** The steps of a session with nodes in place of messages. */
function planOfSession({ steps, system }: Session, format: ImportFormat): Planned {
  const lost = new Set<string>()
  const known = new Map<Said, Pieces>()
  const read = (said: Said, isLeading: boolean): Pieces => {
    const found = known.get(said)
    if (found !== undefined) return found
    const made = summaryOf(said) ?? piecesOf(format, {}, said.messages, lost).pieces
    // Words for the system are in `^sys` only where they lead.
    const pieces = isLeading ? made : made.map((piece) => ({ ...piece, isSystem: false }))
    known.set(said, pieces)
    return pieces
  }
  const deeds: Deed[] = piecesOf(format, system ?? {}, []).pieces.map((piece) => ({ say: [piece] }))
  const offset = deeds.length
  let isLeading = true
  for (const step of steps) {
    if ('say' in step) {
      const say = read(step.say, isLeading)
      isLeading &&= say.every(({ isSystem }) => isSystem)
      deeds.push({ say })
    } else {
      isLeading = false
      const swaps = step.swaps.map(({ from, take, by }) => {
        return { from: from + offset, take, by: by.map((said) => read(said, false)) }
      })
      deeds.push({ swaps, why: step.why })
    }
  }
  return { deeds, format, messages: messagesIn(steps), unread: [...lost].toSorted() }
}

function messagesIn(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + ('say' in step ? step.say.messages.length : 0), 0)
}

/** A summary is a node of its own kind, in no format; undefined if it is more than a text. */
function summaryOf({ isSummary, messages }: Said): Pieces | undefined {
  const content = messages[0]?.['content']
  const part = Array.isArray(content) && content.length === 1 ? content[0] : content
  const text = isObject(part) ? part['text'] : part
  if (isSummary !== true || messages.length !== 1 || typeof text !== 'string') return undefined
  return [{ spec: { role: 'user', kind: 'summary', content: text }, isSystem: false, startsTurn: true }]
}

/** Follows a plan in a new context. */
function* contextOf(
  { deeds, ...about }: Planned,
  { options, onStep }: ReadOptions,
): Generator<void, ReadConversation, undefined> {
  const context = createContext(options)
  let done = 0
  for (const asked of play(context, deeds, [])) {
    if (asked === 'commit') context.commit()
    else {
      onStep?.((done += 1), deeds.length)
      yield
    }
  }
  if (context.cycle === 1 || context.operations().length > 0) context.commit()
  return { ...about, deeds, context }
}

/** The messages as nodes, by the adapter of their format or of the one they can be mapped to. What is lost is noted. */
function piecesOf(
  format: ImportFormat,
  record: JsonObject,
  messages: readonly JsonObject[],
  lost = new Set<string>(),
): Readonly<{ pieces: Pieces; lost: ReadonlySet<string> }> {
  const mapped = MAPPED[format]?.(messages)
  for (const each of mapped?.lost ?? []) lost.add(each)
  const adapter = mapped?.format ?? READ_AS[format] ?? (format as FormatName)
  const given = conversationOf(adapter, mapped === undefined ? record : {}, mapped?.messages ?? messages)
  try {
    // Each adapter checks what it is given; what a file holds has no type.
    const specs = ADAPTERS[adapter].read(given as never)
    const pieces = specs.map((each): Piece => {
      const { isSystem, startsTurn } = each
      return {
        spec: specOf(each),
        isSystem,
        startsTurn,
        add: (ctx, isIn) => addMessage(ctx, { ...each, isSystem: isIn }),
      }
    })
    return { pieces, lost }
  } catch (error) {
    if (!PactError.is(error)) throw error
    const details = { ...error.details, format }
    throw new PactError(error.code, `Read as ${format}: ${error.message}`, details, { cause: error })
  }
}

/** Formats of agents that are those of a provider. */
const READ_AS: Readonly<Partial<Record<ImportFormat, FormatName>>> = {
  'claude-code': 'anthropic',
  codex: 'openai-responses',
}

function conversationOf(format: FormatName, record: JsonObject, messages: readonly JsonObject[]): object {
  const { system, instructions, systemInstruction, system_instruction: other } = record
  if (format === 'openai-chat' || format === 'mistral') return { messages }
  if (format === 'openai-responses') return { input: messages, ...given({ instructions }) }
  if (format === 'gemini-interactions') return { input: messages, ...given({ system_instruction: other }) }
  if (format === 'gemini') return { contents: messages, ...given({ systemInstruction: systemInstruction ?? other }) }
  return { messages, ...given({ system }) }
}

function given(values: Readonly<Record<string, JsonValue | undefined>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))
}

/** Fields about a reply that are not part of it. */
const ABOUT_REPLY = ['stop_reason', 'stop_sequence', 'usage', 'id', 'type', 'model']

/** A recorded request also holds the model's answer: a message, items, or the first of its `choices` or `candidates`. */
export function answersIn(response: JsonValue | undefined, unread: Set<string>): readonly JsonValue[] {
  if (Array.isArray(response)) return response as readonly JsonValue[]
  if (!isObject(response) || Object.keys(response).length === 0) return []
  const { choices, candidates, output, steps } = response
  const items = [output, steps].find((list): list is readonly JsonValue[] => Array.isArray(list))
  if (items !== undefined) return items
  const several = [choices, candidates].find((list): list is readonly JsonValue[] => Array.isArray(list))
  if (several === undefined) {
    return [Object.fromEntries(Object.entries(response).filter(([key]) => !ABOUT_REPLY.includes(key)))]
  }
  if (several.length > 1) unread.add('all choices but the first')
  return several
    .slice(0, 1)
    .map((choice) => (isObject(choice) ? (choice['message'] ?? choice['content'] ?? null) : choice))
}

function unreadable(message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name: 'body' })
}
