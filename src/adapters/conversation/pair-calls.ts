// Calls and their results (D48): a provider refuses a request in which one stands without the other, or something between
// them. Results that stand right are left alone; the rest is put directly behind its calls.
//
// A stretch of messages, mostly a turn, is looked at by itself, so that what it says can be kept with its part of the tree.
// What it cannot settle, a call without a result and a result before any call of its id, is settled over the whole
// conversation (open-ends.ts), and the stretch is then looked at again with that knowledge.

import { isDropped, resultMessage, stubOf } from './answers.js'
import { withParts, type CallPart, type Message, type Part, type ResultPart } from './neutral.js'
import { derivedId } from './read-part.js'
import type { Notes } from './repairs.js'

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

/** What a stretch cannot settle by itself, and the ids of all its calls. */
export type OpenEnds = Readonly<{
  openCalls: readonly OpenCall[]
  openResults: readonly OpenResult[]
  callIds: readonly string[]
  /** The message that it ends with, if that has calls which nothing answers yet. */
  step?: OpenStep | undefined
}>

/** The calls of a message, and those that are answered, in the order of their answers. */
export type OpenStep = Readonly<{ asked: readonly CallPart[]; answered: readonly CallPart[] }>

export type MayStand = (asked: readonly CallPart[], answered: readonly CallPart[]) => boolean

export const NO_ENDS: OpenEnds = { openCalls: [], openResults: [], callIds: [] }

export type Paired = Readonly<{ messages: readonly Message[]; ends: OpenEnds }>

/** Messages in which every call that can be answered is, by results directly behind it. `waiting` has the ids of calls that need no result yet. */
export function pairCalls(
  messages: readonly Message[],
  settled: Settled | undefined,
  waiting: ReadonlySet<string>,
  notes: Notes,
): Paired {
  const right = standing(messages)
  if (right !== undefined) return right
  const pairs = new Pairs(messages)
  const { openCalls, openResults } = pairs
  if (settled !== undefined) {
    for (const { asked } of openCalls) {
      const answer = settled.brought.get(asked.part)
      if (answer !== undefined || !waiting.has(asked.part.callId)) asked.answer = answer ?? 'stub'
    }
    for (const { given } of openResults) {
      const call = settled.kept.get(given.part)
      if (call !== undefined) given.call = new Asked(call, undefined)
      else if (settled.taken.has(given.part)) given.dropped = 'taken'
      else if (!settled.areHeld || given.part.callId === '') given.dropped = 'orphan'
    }
  }
  const { callIds, step } = pairs
  return { messages: new Arrangement(messages, pairs, notes).messages, ends: { openCalls, openResults, callIds, step } }
}

/**
 * Most turns stand right by themselves: results of all its calls, and nothing else, follow each message that calls. Then they only learn what their
 * calls are named. Undefined where more is to be done: open ends, an id that comes twice, anything in between.
 */
function standing(messages: readonly Message[]): Paired | undefined {
  const callIds: string[] = []
  let paired = messages as Message[]
  let waiting: CallPart[] = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!
    const { parts } = message
    const isOver = waiting.length === 0
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!
      if (part.kind === 'result') {
        const call = isOver ? undefined : waiting.find(({ callId }) => callId === part.callId)
        if (call === undefined) return undefined
        waiting = waiting.filter((each) => each !== call)
        const answer = answering(part, call, call.callId)
        if (answer === part) continue
        if (paired === messages) paired = messages.slice()
        paired[at] = withParts(paired[at]!, paired[at]!.parts.with(i, answer))
      } else if (!isOver) return undefined
      else if (part.kind === 'call') {
        if (callIds.length >= FEW || callIds.includes(part.callId)) return undefined
        callIds.push(part.callId)
        waiting.push(part)
      }
    }
  }
  if (waiting.length > 0) return undefined
  return { messages: paired, ends: callIds.length === 0 ? NO_ENDS : { openCalls: [], openResults: [], callIds } }
}

/** Beyond this many calls a table is quicker than a look at each. */
const FEW = 16

function hasSteps({ parts }: Message): boolean {
  return parts.some((part) => part.kind === 'call' || part.kind === 'result')
}

type Answer = Brought | Given | 'stub'

/** A call, and what answers it. */
class Asked {
  readonly part: CallPart
  /** The message of the stretch that it stands in. */
  readonly message: Message | undefined
  answer: Answer | undefined
  /** Another id, where its message has its own already. */
  id: string | undefined

  constructor(part: CallPart, message: Message | undefined) {
    this.part = part
    this.message = message
    this.answer = undefined
    this.id = undefined
  }

  get callId(): string {
    return this.id ?? this.part.callId
  }
}

/** A result, and whom it answers. */
class Given {
  readonly part: ResultPart
  readonly message: Message
  call: Asked | undefined
  dropped: 'taken' | 'orphan' | undefined
  isMoved: boolean

  constructor(part: ResultPart, message: Message) {
    this.part = part
    this.message = message
    this.call = undefined
    this.dropped = undefined
    this.isMoved = false
  }
}

/** The calls and results of one message, in order. */
type Step = { calls: Asked[]; results: Given[] }

/** Who answers whom within one stretch. */
class Pairs {
  /** By message; one without calls and results has none. */
  readonly steps: readonly (Step | undefined)[]
  readonly callIds: string[] = []
  readonly openCalls: (OpenCall & Readonly<{ asked: Asked }>)[] = []
  readonly openResults: (OpenResult & Readonly<{ given: Given }>)[] = []
  readonly step: OpenStep | undefined
  /** The calls of the newest message that has an id, in the order of these messages. */
  readonly #waiting = new Map<string, Asked[]>()

  constructor(messages: readonly Message[]) {
    let isLeading = true
    this.steps = messages.map((message) => {
      const step = stepOf(message)
      let result = 0
      let call = 0
      for (const { kind } of message.parts) {
        isLeading &&= kind === 'result'
        if (kind === 'call') this.#call(step!.calls[call++]!)
        else if (kind === 'result') this.#result(step!.results[result++]!, isLeading)
      }
      return step
    })
    for (const calls of this.#waiting.values()) {
      for (const asked of calls) {
        if (asked.answer !== undefined) continue
        const isLast = asked.id === undefined && this.#isLast(messages, asked.message!)
        this.openCalls.push({ part: asked.part, isLast, asked })
      }
    }
    this.step = this.#lastStep()
  }

  #lastStep(): OpenStep | undefined {
    const message = this.openCalls.find(({ isLast }) => isLast)?.asked.message
    if (message === undefined) return undefined
    const steps = this.steps.flatMap((step) => step ?? [])
    const asked = steps.flatMap(({ calls }) => calls.filter((call) => call.message === message))
    const given = steps.flatMap(({ results }) => results.filter(({ call }) => call?.message === message))
    return { asked: asked.map(({ part }) => part), answered: given.map(({ call }) => call!.part) }
  }

  #call(asked: Asked): void {
    const { callId } = asked.part
    this.callIds.push(callId)
    const before = this.#waiting.get(callId)
    if (before === undefined) {
      this.#waiting.set(callId, [asked])
      return
    }
    if (before[0]!.message === asked.message) {
      before.push(asked)
      asked.id = derivedId(`${callId} ${before.length}`)
      return
    }
    // A call with the same id ends the wait of the one before it.
    for (const other of before) other.answer ??= 'stub'
    this.#waiting.delete(callId)
    this.#waiting.set(callId, [asked])
  }

  /** A result stays open where no call of its id stands before it. */
  #result(given: Given, isLeading: boolean): void {
    const { part, message } = given
    const calls = part.callId === '' ? this.#ofName(part.name) : this.#waiting.get(part.callId)
    if (calls === undefined) {
      this.openResults.push({ part, message, isLeading, given })
      return
    }
    const call = calls.find(({ answer }) => answer === undefined)
    if (call === undefined) given.dropped = 'orphan'
    else {
      call.answer = given
      given.call = call
    }
  }

  /** A result that names no call answers the first that waits, of its own name if it says one. */
  #ofName(name: string | undefined): readonly Asked[] | undefined {
    const calls = [...this.#waiting.values()].flat()
    const fitting = calls.filter(({ answer, part }) => {
      return answer === undefined && (name === undefined || part.name === name)
    })
    return fitting.length === 0 ? undefined : fitting
  }

  /** Whether nothing but results of its calls follows a message. */
  #isLast(messages: readonly Message[], message: Message): boolean {
    for (let at = messages.length - 1; messages[at] !== message; at--) {
      const results = this.steps[at]?.results ?? []
      const own = results.filter(({ dropped, call }) => dropped !== undefined || call?.message === message)
      if (own.length < messages[at]!.parts.length) return false
    }
    return true
  }
}

function stepOf(message: Message): Step | undefined {
  if (!hasSteps(message)) return undefined
  const step: Step = { calls: [], results: [] }
  for (const part of message.parts) {
    if (part.kind === 'call') step.calls.push(new Asked(part, message))
    else if (part.kind === 'result') step.results.push(new Given(part, message))
  }
  return step
}

/** The messages with every result behind its calls. */
class Arrangement {
  readonly messages: Message[] = []
  readonly #all: readonly Message[]
  readonly #steps: Pairs['steps']
  readonly #notes: Notes

  constructor(messages: readonly Message[], { steps }: Pairs, notes: Notes) {
    this.#all = messages
    this.#steps = steps
    this.#notes = notes
    const behind = steps.map((step, at) => (step === undefined ? NOTHING : this.#behind(step.calls, at)))
    for (let at = 0; at < messages.length; at++) {
      const step = steps[at]
      if (step === undefined) this.messages.push(messages[at]!)
      else this.#keep(messages[at]!, step)
      for (const call of behind[at]!) this.#put(call)
    }
  }

  /** What has to be put behind a message, if its results do not stand right: all of its calls answered at once, nothing between. */
  #behind(calls: readonly Asked[], at: number): readonly Asked[] {
    const here = calls.filter(({ answer }) => answer instanceof Given)
    const others = calls.filter(({ answer }) => answer === 'stub' || (isBrought(answer) && !answer.inPlace))
    const order = this.#standing(at, here.length)
    if (order !== undefined && others.length === 0) return NOTHING
    for (const call of here) {
      const given = call.answer as Given
      given.isMoved = true
      if (order === undefined) this.#noteMoved(given.part, call)
    }
    if (order === undefined || others.some(({ answer }) => answer !== 'stub')) {
      return calls.filter((call) => here.includes(call) || others.includes(call))
    }
    // They stand in an order of their own, which providers take.
    return [...order.map((given) => given.call!), ...others]
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
        if (given?.dropped !== undefined) continue
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
        if (given.isMoved || isDropped(part, given.dropped, this.#notes)) continue
        parts.push(given.call === undefined ? part : answering(part, given.call.part, given.call.callId))
      }
    }
    if (parts.length > 0) this.messages.push(unlessSame(message, parts))
  }

  #put(call: Asked): void {
    const { part, answer } = call
    if (answer instanceof Given) {
      this.messages.push(resultMessage(answering(answer.part, part, call.callId), answer.message))
    } else if (isBrought(answer)) {
      this.#noteMoved(answer.part, call)
      this.messages.push(resultMessage(answering(answer.part, part, call.callId), answer.message))
    } else {
      const text = `The call ${part.record.id} has no result any more; a short text stands in its place.`
      this.#notes.note('stub-result', part.record, text, part.callId)
      this.messages.push(resultMessage(stubOf(this.#called(call)), undefined))
    }
  }

  #noteMoved({ record }: ResultPart, { part }: Asked): void {
    const text = `The result ${record.id} stands directly behind its call, ${part.record.id}.`
    this.#notes.note('moved-result', record, text)
  }

  #called({ part, id }: Asked): CallPart {
    if (id === undefined) return part
    const text = `The call ${part.record.id} and its result have the id ${id}: another call of the message has theirs.`
    this.#notes.note('renamed-id', part.record, text)
    return { ...part, callId: id }
  }
}

const NOTHING: readonly Asked[] = []

/** A result has the id and the tool's name of its call, whatever an edit made of its own. */
function answering(part: ResultPart, { name }: CallPart, callId: string): ResultPart {
  if (part.callId === callId && part.name === name) return part
  const { kind, record, raw, shape, output, isError, isStub } = part
  return { kind, record, raw, shape, callId, name, output, isError, isStub }
}

function isBrought(answer: Answer | undefined): answer is Brought {
  return answer !== undefined && answer !== 'stub' && !(answer instanceof Given)
}

function unlessSame(message: Message, parts: readonly Part[]): Message {
  const isSame = parts.length === message.parts.length && parts.every((part, i) => part === message.parts[i])
  return isSame ? message : withParts(message, parts)
}
