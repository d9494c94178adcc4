// Calls and their results (D48): a provider refuses a request in which one stands without the other, or something between
// them. Results that stand right are left alone; the rest is put directly behind its calls.
//
// A stretch of messages, mostly a turn, is looked at by itself, so that what it says can be kept with its part of the tree.
// What it cannot settle, a call without a result and a result before any call of its id, is settled over the whole
// conversation (open-ends.ts), and the stretch is then looked at again with that knowledge.

import type { CallPart, Message, Part, ResultPart } from './neutral.js'
import type { Note } from './repairs.js'

/** What the rest of the conversation says about the open ends of a stretch. */
export type Settled = Readonly<{
  /** By the node of a call: the result that stands elsewhere, with its message. A call that is not here has none. */
  brought: ReadonlyMap<string, Brought>
  /** The nodes of results that answer a call of another stretch: shown there, or right where they are. */
  taken: ReadonlySet<string>
  kept: ReadonlySet<string>
}>

/** `inPlace`: it stands right where it is, at the very beginning of what follows. */
export type Brought = Readonly<{ part: ResultPart; message: Message; inPlace: boolean }>

/** A result that nobody claimed, with the message that it stands in; `isLeading` where nothing but results stands before it. */
export type OpenResult = Readonly<{ part: ResultPart; message: Message; isLeading: boolean }>

/** A call that nothing answered; `isLast` where no message follows its own. */
export type OpenCall = Readonly<{ part: CallPart; isLast: boolean }>

export type Paired = Readonly<{
  messages: readonly Message[]
  openCalls: readonly OpenCall[]
  openResults: readonly OpenResult[]
}>

/** What stands in the place of a result that the context does not have any more. */
export const STUB = '[tool result no longer in context]'

/** `waiting` has the ids of calls that need no result yet. */
export function pairCalls(
  messages: readonly Message[],
  settled: Settled | undefined,
  waiting: ReadonlySet<string>,
  note: Note,
): Paired {
  const pairs = new Pairs(messages)
  const { openCalls, openResults } = pairs
  if (settled !== undefined) {
    for (const { part } of openCalls) {
      const answer = settled.brought.get(part.record.id)
      if (answer !== undefined || !waiting.has(part.callId)) pairs.answers.set(part, answer ?? 'stub')
    }
    for (const { part } of openResults) {
      const { id } = part.record
      if (!settled.kept.has(id)) pairs.dropped.set(part, settled.taken.has(id) ? 'taken' : 'orphan')
    }
  }
  return { messages: arrange(messages, pairs, note), openCalls, openResults }
}

type Answer = Brought | Readonly<{ part: ResultPart; message: Message }> | 'stub'

/** Who answers whom within one stretch. */
class Pairs {
  readonly answers = new Map<CallPart, Answer>()
  readonly dropped = new Map<ResultPart, 'taken' | 'orphan'>()
  readonly openCalls: OpenCall[] = []
  readonly openResults: OpenResult[] = []

  constructor(messages: readonly Message[]) {
    const latest = new Map<string, Readonly<{ call: CallPart; at: number }>>()
    let isLeading = true
    for (const [at, message] of messages.entries()) {
      for (const part of message.parts) {
        isLeading &&= part.kind === 'result'
        if (part.kind === 'call') {
          // A call with the same id ends the wait of the one before it.
          const before = latest.get(part.callId)
          if (before !== undefined && !this.answers.has(before.call)) this.answers.set(before.call, 'stub')
          latest.set(part.callId, { call: part, at })
        } else if (part.kind === 'result') {
          const call = part.callId === '' ? this.#firstOpen(latest, part.name) : latest.get(part.callId)?.call
          if (call === undefined) this.openResults.push({ part, message, isLeading })
          else if (this.answers.has(call)) this.dropped.set(part, 'orphan')
          else this.answers.set(call, { part, message })
        }
      }
    }
    for (const { call, at } of latest.values()) {
      if (!this.answers.has(call)) this.openCalls.push({ part: call, isLast: at === messages.length - 1 })
    }
  }

  /** A result that names no call answers the first that waits, of its own name if it says one. */
  #firstOpen(
    latest: ReadonlyMap<string, Readonly<{ call: CallPart }>>,
    name: string | undefined,
  ): CallPart | undefined {
    for (const { call } of latest.values()) {
      if (!this.answers.has(call) && (name === undefined || call.name === name)) return call
    }
    return undefined
  }
}

/** The messages with every result behind its calls. */
function arrange(messages: readonly Message[], pairs: Pairs, note: Note): readonly Message[] {
  const moved = movedResults(messages, pairs)
  const arranged: Message[] = []
  for (const message of messages) {
    const parts = message.parts.filter(
      (part) => part.kind !== 'result' || (!moved.has(part) && !isDropped(part, pairs, note)),
    )
    if (parts.length > 0 || message.parts.length === 0) arranged.push(withParts(message, parts))
    for (const part of message.parts) {
      if (part.kind === 'call') addAnswer(arranged, part, pairs, moved, note)
    }
  }
  return arranged
}

function isDropped(part: ResultPart, pairs: Pairs, note: Note): boolean {
  const why = pairs.dropped.get(part)
  if (why === 'orphan') {
    note(
      'orphan-result',
      part.record,
      `The result ${part.record.id} is left out: no call of the id it answers stands before it.`,
    )
  }
  return why !== undefined
}

/** Puts what answers a call at the end, unless it stands right already. */
function addAnswer(arranged: Message[], call: CallPart, pairs: Pairs, moved: Moved, note: Note): void {
  const answer = pairs.answers.get(call)
  if (answer === undefined) return
  if (answer === 'stub') {
    note(
      'stub-result',
      call.record,
      `The call ${call.record.id} has no result any more; a short text stands in its place.`,
      call.callId,
    )
    arranged.push(resultMessage(stubOf(call), undefined))
    return
  }
  const isBrought = 'inPlace' in answer
  if (isBrought ? answer.inPlace : !moved.has(answer.part)) return
  if (isBrought || moved.get(answer.part) === 'elsewhere') {
    note(
      'moved-result',
      answer.part.record,
      `The result ${answer.part.record.id} stands directly behind its call, ${call.record.id}.`,
    )
  }
  arranged.push(resultMessage(named(answer.part, call), answer.message))
}

/** Results that are put behind their calls anew, and whether they stood anywhere else. */
type Moved = ReadonlyMap<ResultPart, 'elsewhere' | 'beside a stub'>

/** The results of this stretch that do not stand right: all of a message's calls answered at once, nothing between or before. */
function movedResults(messages: readonly Message[], pairs: Pairs): Moved {
  const moved = new Map<ResultPart, 'elsewhere' | 'beside a stub'>()
  for (const [at, message] of messages.entries()) {
    const wanted = new Set<ResultPart>()
    let isWhole = true
    for (const part of message.parts) {
      if (part.kind !== 'call') continue
      const answer = pairs.answers.get(part)
      if (answer === undefined || answer === 'stub' || 'inPlace' in answer) isWhole = false
      else wanted.add(answer.part)
    }
    const areRight = standRight(messages, at, wanted, pairs)
    if (areRight && isWhole) continue
    for (const part of wanted) moved.set(part, areRight ? 'beside a stub' : 'elsewhere')
  }
  return moved
}

/** Whether the messages behind a call begin with its results and nothing else, until all of them are there. */
function standRight(messages: readonly Message[], at: number, wanted: ReadonlySet<ResultPart>, pairs: Pairs): boolean {
  let missing = wanted.size
  for (let i = at + 1; i < messages.length && missing > 0; i++) {
    let isOver = false
    for (const part of messages[i]!.parts) {
      if (part.kind === 'result' && pairs.dropped.has(part)) continue
      const isWanted = part.kind === 'result' && wanted.has(part)
      if (isOver && isWanted) return false
      if (isWanted) missing--
      else isOver = true
    }
    if (isOver && missing > 0) return false
  }
  return missing === 0
}

/** A result in a message of its own; in the one it came in, where that held nothing else. */
function resultMessage(part: ResultPart, message: Message | undefined): Message {
  if (message !== undefined && message.parts.length === 1) return { ...message, parts: [part] }
  return {
    record: part.record,
    place: 'core',
    role: 'tool',
    format: undefined,
    form: undefined,
    envelope: {},
    parts: [part],
  }
}

/** Formats that ask for the name of the tool find it in the call. */
function named(part: ResultPart, call: CallPart): ResultPart {
  return part.name === undefined ? { ...part, name: call.name } : part
}

function stubOf(call: CallPart): ResultPart {
  return {
    kind: 'result',
    record: call.record,
    raw: undefined,
    shape: undefined,
    callId: call.callId,
    name: call.name,
    output: { kind: 'text', text: STUB },
    isError: true,
    isStub: true,
  }
}

function withParts(message: Message, parts: readonly Part[]): Message {
  return parts.length === message.parts.length ? message : { ...message, parts }
}
