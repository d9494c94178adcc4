// Calls and their results (D48): a provider refuses a request in which one is without the other, or something is between them. Results
// that are in place stay there; the others move directly behind their calls. A call without a result gets a stub, a result without a
// call is left out.

import type { NodeRecord } from '../../core/index.js'
import { type CallPart, type Message, type Part, type ResultPart, derivedId } from './neutral.js'
import type { Notes } from './request-writer.js'

/** The text in the place of a result that the context does not have any more (D48). */
export const STUB = '[tool result no longer in context]'

export type PairOptions = Readonly<{
  /** The ids of calls that need no result yet. */
  waiting: ReadonlySet<string>
  /** True if the provider holds calls that are not in the request: then a result may answer one of those. */
  areHeld: boolean
  /** True for two neighbouring messages of the model that are one to the provider; the results to their calls are behind the last one. */
  areOne?: ((before: Message, after: Message) => boolean) | undefined
  /** True for a call whose result stays where it is, and may be missing. */
  isLate?: ((call: CallPart) => boolean) | undefined
}>

/** The messages of a stretch with results directly after the message that called. */
export function pairCalls(messages: readonly Message[], options: PairOptions, notes: Notes): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some(({ kind }) => kind === 'call' || kind === 'result'))) return messages
  const { areOne } = options
  const arranged = (list: readonly Message[]): readonly Message[] =>
    new Arrangement(list, new Pairs(list, options), notes, options.isLate).messages
  return areOne === undefined ? arranged(messages) : inRuns(messages, areOne, arranged)
}

/** Arranges messages, those that are one as one; none of them has results, so each gets its own parts back. */
function inRuns(
  messages: readonly Message[],
  areOne: NonNullable<PairOptions['areOne']>,
  arranged: (list: readonly Message[]) => readonly Message[],
): readonly Message[] {
  const runs = new Map<NodeRecord, Message[]>()
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const run = last && (runs.get(last.record) ?? [last])
    if (run === undefined || !areOne(run.at(-1)!, message)) {
      joined.push(message)
      continue
    }
    run.push(message)
    runs.set(last!.record, run)
    joined[joined.length - 1] = { ...last!, parts: last!.parts.concat(message.parts) }
  }
  if (runs.size === 0) return arranged(messages)
  return arranged(joined).flatMap((message) => {
    const run = runs.get(message.record)
    if (run === undefined || message.role !== run[0]!.role) return [message]
    let at = 0
    return run.map((each) => {
      const parts = message.parts.slice(at, (at += each.parts.length))
      return parts.every((part, i) => part === each.parts[i]) ? each : { ...each, parts }
    })
  })
}

/** The calls that no result answers, in order. */
export function unanswered(messages: readonly Message[]): readonly CallPart[] {
  const { steps } = new Pairs(messages, { waiting: new Set(), areHeld: false })
  return steps.flatMap((step) => (step?.calls ?? []).flatMap(({ part, answer }) => (answer === 'stub' ? [part] : [])))
}

/** A call, and what answers it. */
type Asked = Readonly<{ part: CallPart; message: Message }> & {
  answer: Given | 'stub' | undefined
  /** Another id, where another call of its message has the same. */
  callId: string
}

/** A result, and the call that it answers. An orphan answers nothing and is left out. */
type Given = Readonly<{ part: ResultPart; message: Message }> & {
  call: Asked | undefined
  isMoved: boolean
  isOrphan: boolean
}

/** The calls and results of one message, in order. */
type Step = Readonly<{ calls: Asked[]; results: Given[] }>

/** Finds the call that each result answers. */
class Pairs {
  /** By message; undefined for a message without calls and results. */
  readonly steps: readonly (Step | undefined)[]
  readonly #options: PairOptions
  /** The calls of the newest message that has an id. */
  readonly #waiting = new Map<string, Asked[]>()

  constructor(messages: readonly Message[], options: PairOptions) {
    this.#options = options
    this.steps = messages.map((message) => {
      const step: Step = { calls: [], results: [] }
      for (const part of message.parts) {
        if (part.kind === 'call') this.#call({ part, message, answer: undefined, callId: part.callId }, step)
        else if (part.kind === 'result')
          this.#result({ part, message, call: undefined, isMoved: false, isOrphan: false }, step)
      }
      return step.calls.length + step.results.length === 0 ? undefined : step
    })
    for (const [callId, calls] of this.#waiting) {
      const asks = calls.filter(({ part }) => options.isLate?.(part) !== true)
      if (!options.waiting.has(callId)) for (const asked of asks) asked.answer ??= 'stub'
    }
  }

  #call(asked: Asked, step: Step): void {
    step.calls.push(asked)
    const { callId } = asked.part
    const before = this.#waiting.get(callId) ?? []
    if (before[0]?.message === asked.message) {
      before.push(asked)
      asked.callId = derivedId(`${callId} ${before.length}`)
      return
    }
    // A later message with the same id ends the wait of an earlier one.
    for (const other of before) other.answer ??= 'stub'
    this.#waiting.delete(callId)
    this.#waiting.set(callId, [asked])
  }

  #result(given: Given, step: Step): void {
    step.results.push(given)
    const { callId, name } = given.part
    const calls = callId === '' ? this.#ofName(name) : this.#waiting.get(callId)
    given.call = calls?.find(({ answer }) => answer === undefined)
    if (given.call !== undefined) given.call.answer = given
    else given.isOrphan = calls !== undefined || !this.#options.areHeld || callId === ''
  }

  /** A result that names no call answers the first that waits, of its own name if it says one. */
  #ofName(name: string | undefined): readonly Asked[] | undefined {
    const calls = [...this.#waiting.values()].flat()
    const fitting = calls.filter(
      ({ answer, part }) => answer === undefined && (name === undefined || part.name === name),
    )
    return fitting.length === 0 ? undefined : fitting
  }
}

/** The messages with every result behind its calls. */
class Arrangement {
  readonly messages: Message[] = []
  readonly #all: readonly Message[]
  readonly #steps: Pairs['steps']
  readonly #notes: Notes
  readonly #isLate: (asked: Asked | undefined) => boolean

  constructor(messages: readonly Message[], { steps }: Pairs, notes: Notes, isLate: PairOptions['isLate']) {
    this.#isLate = (asked) => asked !== undefined && isLate?.(asked.part) === true
    this.#all = messages
    this.#steps = steps
    this.#notes = notes
    const behind = steps.map((step, at) =>
      step === undefined
        ? NOTHING
        : this.#behind(
            step.calls.filter((call) => !this.#isLate(call)),
            at,
          ),
    )
    for (let at = 0; at < messages.length; at++) {
      const step = steps[at]
      if (step === undefined) this.messages.push(messages[at]!)
      else this.#keep(messages[at]!, step)
      for (const call of behind[at]!) this.#put(call)
    }
  }

  /** The calls whose answers have to be put behind their message: none where all of them are there, with nothing between. */
  #behind(calls: readonly Asked[], at: number): readonly Asked[] {
    const given = calls.flatMap(({ answer }) => (typeof answer === 'object' ? [answer] : []))
    const stubs = calls.filter(({ answer }) => answer === 'stub')
    const order = this.#standing(at, given.length)
    if (order !== undefined && stubs.length === 0) return NOTHING
    for (const each of given) {
      const { part, call } = each
      each.isMoved = true
      if (order !== undefined) continue
      const text = `The result ${part.record.id} is moved directly behind its call, ${call!.part.record.id}.`
      this.#notes.note('moved-result', part.record, text)
    }
    if (order === undefined) return calls.filter(({ answer }) => answer !== undefined)
    // They have an order of their own, which providers take.
    return [...order.map((each) => each.call!), ...stubs]
  }

  /** The results of a message's calls in the order in which the messages behind it begin with them, if they begin with them all. */
  #standing(at: number, wanted: number): readonly Given[] | undefined {
    const message = this.#all[at]!
    const order: Given[] = []
    for (let i = at + 1; i < this.#all.length && order.length < wanted; i++) {
      let isOver = false
      let result = 0
      for (const part of this.#all[i]!.parts) {
        const given = part.kind === 'result' ? this.#steps[i]!.results[result++]! : undefined
        if (given?.isOrphan === true || this.#isLate(given?.call)) continue
        const isWanted = given?.call?.message === message
        if (isOver && isWanted) return undefined
        if (isWanted) order.push(given)
        else isOver = true
      }
      if (isOver && order.length < wanted) return undefined
    }
    return order.length === wanted ? order : undefined
  }

  #keep(message: Message, { calls, results }: Step): void {
    const parts: Part[] = []
    let call = 0
    let result = 0
    for (const part of message.parts) {
      if (part.kind === 'call') parts.push(this.#called(calls[call++]!))
      else if (part.kind !== 'result') parts.push(part)
      else {
        const given = results[result++]!
        if (given.isOrphan) this.#noteOrphan(part)
        else if (!given.isMoved) parts.push(answerOf(given))
      }
    }
    if (parts.length === 0) return
    const isSame = parts.length === message.parts.length && parts.every((part, i) => part === message.parts[i])
    this.messages.push(isSame ? message : { ...message, parts: parts })
  }

  #put(call: Asked): void {
    const { part, answer } = call
    if (typeof answer === 'object') {
      this.messages.push(resultMessage(answerOf(answer), answer.message))
      return
    }
    const text = `The call ${part.record.id} has no result any more; a short text takes its place.`
    this.#notes.note('stub-result', part.record, text, part.callId)
    this.messages.push(resultMessage(stubOf(this.#called(call)), undefined))
  }

  #called({ part, callId: id }: Asked): CallPart {
    if (id === part.callId) return part
    const text = `The call ${part.record.id} and its result have the id ${id}: another call of the message has theirs.`
    this.#notes.note('renamed-id', part.record, text)
    return { ...part, callId: id }
  }

  #noteOrphan({ record }: ResultPart): void {
    const text = `The result ${record.id} is left out: there is no open call with its call id before it.`
    this.#notes.note('orphan-result', record, text)
  }
}

const NOTHING: readonly Asked[] = []

/** A result with the id and the tool's name of its call, whatever an edit made of its own. */
function answering(part: ResultPart, { name }: CallPart, callId: string): ResultPart {
  if (part.callId === callId && part.name === name) return part
  return { ...part, callId, name }
}

function answerOf({ part, call }: Given): ResultPart {
  return call === undefined ? part : answering(part, call.part, call.callId)
}

function stubOf({ record, callId, name }: CallPart): ResultPart {
  const output = { kind: 'text', text: STUB } as const
  return { kind: 'result', record, raw: undefined, shape: undefined, callId, name, output, isError: true, isStub: true }
}

/** A result in a message of its own; in the one it came in, where that held nothing else. */
function resultMessage(part: ResultPart, message: Message | undefined): Message {
  if (message?.parts.length === 1) return { ...message, parts: [part] }
  const { record } = part
  return { record, place: 'core', role: 'tool', format: undefined, form: undefined, envelope: {}, parts: [part] }
}
