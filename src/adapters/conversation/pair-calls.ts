// Calls and their results (D48): a provider refuses a request in which one stands without the other, or something between
// them. Results that stand right are left alone; the rest is put directly behind its calls.
//
// A stretch of messages, mostly a turn, is looked at by itself, so that what it says can be kept with its part of the tree.
// What it cannot settle, a call without a result and a result before any call of its id, is settled over the whole
// conversation (open-ends.ts), and the stretch is then looked at again with that knowledge.

import { isDropped, resultMessage, stubOf } from './answers.js'
import type { CallPart, Message, Part, ResultPart } from './neutral.js'
import { derivedId } from './read-part.js'
import type { Note } from './repairs.js'

/** What the rest of the conversation says about the open ends of a stretch. */
export type Settled = Readonly<{
  /** For a call: the result that stands elsewhere, with its message. A call that is not here has none. */
  brought: ReadonlyMap<CallPart, Brought>
  /** Results that are shown in another stretch. */
  taken: ReadonlySet<ResultPart>
  /** Results that answer a call of the stretch before, right where they are. */
  kept: ReadonlyMap<ResultPart, CallPart>
  /** Whether the provider holds calls that are not in the request: then a result may answer one of those. */
  areHeld: boolean
}>

/** `inPlace`: it stands right where it is, at the very beginning of what follows. */
export type Brought = Readonly<{ part: ResultPart; message: Message; inPlace: boolean }>

/** A result that nobody claimed, with the message that it stands in; `isLeading` where nothing but results stands before it. */
export type OpenResult = Readonly<{ part: ResultPart; message: Message; isLeading: boolean }>

/** A call that nothing answered; `isLast` where nothing but results of its message follows it, and it has the id that it came with. */
export type OpenCall = Readonly<{ part: CallPart; isLast: boolean }>

export type Paired = Readonly<{
  messages: readonly Message[]
  openCalls: readonly OpenCall[]
  openResults: readonly OpenResult[]
}>

/** Messages in which every call that can be answered is, by results directly behind it. `waiting` has the ids of calls that need no result yet. */
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
      const answer = settled.brought.get(part)
      if (answer !== undefined || !waiting.has(part.callId)) pairs.answers.set(part, answer ?? 'stub')
    }
    for (const { part } of openResults) {
      const call = settled.kept.get(part)
      if (call !== undefined) pairs.callOf.set(part, call)
      else if (settled.taken.has(part)) pairs.dropped.set(part, 'taken')
      else if (!settled.areHeld || part.callId === '') pairs.dropped.set(part, 'orphan')
    }
  }
  return { messages: new Arrangement(messages, pairs, note).messages, openCalls, openResults }
}

type Here = Readonly<{ part: ResultPart; message: Message }>

type Answer = Brought | Here | 'stub'

/** The calls of one message that have the same id. */
type Waiting = Readonly<{ calls: CallPart[]; message: Message; at: number }>

/** Who answers whom within one stretch. */
class Pairs {
  readonly answers = new Map<CallPart, Answer>()
  readonly callOf = new Map<ResultPart, CallPart>()
  readonly dropped = new Map<ResultPart, 'taken' | 'orphan'>()
  /** Other ids for calls whose message has their id already. */
  readonly ids = new Map<CallPart, string>()
  readonly openCalls: readonly OpenCall[]
  readonly openResults: OpenResult[] = []
  readonly #waiting = new Map<string, Waiting>()

  constructor(messages: readonly Message[]) {
    let isLeading = true
    for (const [at, message] of messages.entries()) {
      for (const part of message.parts) {
        isLeading &&= part.kind === 'result'
        if (part.kind === 'call') this.#call(part, message, at)
        if (part.kind === 'result' && this.#result(part, message)) this.openResults.push({ part, message, isLeading })
      }
    }
    this.openCalls = [...this.#waiting.values()].flatMap(({ calls, at }) =>
      calls
        .filter((call) => !this.answers.has(call))
        .map((part) => ({ part, isLast: !this.ids.has(part) && this.#isLast(messages, at) })),
    )
  }

  #call(call: CallPart, message: Message, at: number): void {
    const before = this.#waiting.get(call.callId)
    if (before?.message === message) {
      before.calls.push(call)
      this.ids.set(call, derivedId(`${call.callId} ${before.calls.length}`))
      return
    }
    // A call with the same id ends the wait of the one before it.
    for (const other of before?.calls ?? []) if (!this.answers.has(other)) this.answers.set(other, 'stub')
    this.#waiting.delete(call.callId)
    this.#waiting.set(call.callId, { calls: [call], message, at })
  }

  /** Whether it stays open: no call of its id stands before it. */
  #result(part: ResultPart, message: Message): boolean {
    const calls = part.callId === '' ? this.#ofName(part.name) : this.#waiting.get(part.callId)?.calls
    if (calls === undefined) return true
    const call = calls.find((each) => !this.answers.has(each))
    if (call === undefined) this.dropped.set(part, 'orphan')
    else {
      this.answers.set(call, { part, message })
      this.callOf.set(part, call)
    }
    return false
  }

  /** A result that names no call answers the first that waits, of its own name if it says one. */
  #ofName(name: string | undefined): readonly CallPart[] | undefined {
    const calls = [...this.#waiting.values()].flatMap((waiting) => waiting.calls)
    const fitting = calls.filter((call) => !this.answers.has(call) && (name === undefined || call.name === name))
    return fitting.length === 0 ? undefined : fitting
  }

  #isLast(messages: readonly Message[], at: number): boolean {
    const own = new Set<Part>(messages[at]!.parts)
    return messages.slice(at + 1).every(({ parts }) =>
      parts.every((part) => {
        if (part.kind !== 'result') return false
        const call = this.callOf.get(part)
        return this.dropped.has(part) || (call !== undefined && own.has(call))
      }),
    )
  }
}

/** The messages with every result behind its calls. */
class Arrangement {
  readonly messages: Message[] = []
  readonly #pairs: Pairs
  readonly #note: Note
  readonly #moved = new Set<ResultPart>()

  constructor(messages: readonly Message[], pairs: Pairs, note: Note) {
    this.#pairs = pairs
    this.#note = note
    const behind = messages.map((message, at) => this.#behind(messages, message, at))
    for (const [at, message] of messages.entries()) {
      this.#keep(message)
      for (const [call, answer] of behind[at]!) this.#put(call, answer)
    }
  }

  /** What has to be put behind a message, if its results do not stand right: all of its calls answered at once, nothing between. */
  #behind(messages: readonly Message[], message: Message, at: number): readonly (readonly [CallPart, Answer])[] {
    const here: [CallPart, Here][] = []
    const others: [CallPart, Brought | 'stub'][] = []
    for (const part of message.parts) {
      const answer = part.kind === 'call' ? this.#pairs.answers.get(part) : undefined
      if (part.kind !== 'call' || answer === undefined) continue
      if (answer !== 'stub' && !isBrought(answer)) here.push([part, answer])
      else if (answer === 'stub' || !answer.inPlace) others.push([part, answer])
    }
    const order = standing(messages, at, new Set(here.map(([, { part }]) => part)), this.#pairs)
    if (order !== undefined && others.length === 0) return []
    for (const [call, { part }] of here) {
      this.#moved.add(part)
      if (order === undefined) this.#noteMoved(part, call)
    }
    if (order === undefined || others.some(([, answer]) => answer !== 'stub')) {
      return message.parts.flatMap((part) => [...here, ...others].filter(([call]) => call === part))
    }
    // They stand in an order of their own, which providers take.
    return [...here.toSorted(([, a], [, b]) => order.indexOf(a.part) - order.indexOf(b.part)), ...others]
  }

  #keep(message: Message): void {
    const parts = message.parts.flatMap((part): readonly Part[] => {
      if (part.kind === 'call') return [this.#called(part)]
      if (part.kind !== 'result') return [part]
      if (this.#moved.has(part) || isDropped(part, this.#pairs.dropped.get(part), this.#note)) return []
      const call = this.#pairs.callOf.get(part)
      return [call === undefined ? part : this.#answering(part, call)]
    })
    if (parts.length > 0 || message.parts.length === 0) this.messages.push(withParts(message, parts))
  }

  #put(call: CallPart, answer: Answer): void {
    if (answer === 'stub') {
      const text = `The call ${call.record.id} has no result any more; a short text stands in its place.`
      this.#note('stub-result', call.record, text, call.callId)
      this.messages.push(resultMessage(stubOf(this.#called(call)), undefined))
      return
    }
    if (isBrought(answer)) this.#noteMoved(answer.part, call)
    this.messages.push(resultMessage(this.#answering(answer.part, call), answer.message))
  }

  #noteMoved({ record }: ResultPart, call: CallPart): void {
    this.#note('moved-result', record, `The result ${record.id} stands directly behind its call, ${call.record.id}.`)
  }

  #called(call: CallPart): CallPart {
    const callId = this.#pairs.ids.get(call)
    if (callId === undefined) return call
    const text = `The call ${call.record.id} and its result have the id ${callId}: another call of the message has theirs.`
    this.#note('renamed-id', call.record, text)
    return { ...call, callId }
  }

  /** A result has the id and the tool's name of its call, whatever an edit made of its own. */
  #answering(part: ResultPart, call: CallPart): ResultPart {
    const callId = this.#pairs.ids.get(call) ?? call.callId
    const { name } = call
    return part.callId === callId && part.name === name ? part : { ...part, callId, name }
  }
}

function isBrought(answer: Brought | Here): answer is Brought {
  return 'inPlace' in answer
}

/** The results in the order in which the messages behind a call begin with them, if they begin with them all. */
function standing(
  messages: readonly Message[],
  at: number,
  wanted: ReadonlySet<ResultPart>,
  pairs: Pairs,
): readonly ResultPart[] | undefined {
  const order: ResultPart[] = []
  for (let i = at + 1; i < messages.length && order.length < wanted.size; i++) {
    let isOver = false
    for (const part of messages[i]!.parts) {
      if (part.kind === 'result' && pairs.dropped.has(part)) continue
      const isWanted = part.kind === 'result' && wanted.has(part)
      if (isOver && isWanted) return undefined
      if (isWanted) order.push(part)
      else isOver = true
    }
    if (isOver && order.length < wanted.size) return undefined
  }
  return order.length === wanted.size ? order : undefined
}

function withParts(message: Message, parts: readonly Part[]): Message {
  const isSame = parts.length === message.parts.length && parts.every((part, i) => part === message.parts[i])
  return isSame ? message : { ...message, parts }
}
