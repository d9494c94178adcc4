// The state of the newest turn, from the tree alone: the calls without a result, and what comes next. It reads the messages from the end, back
// to the model's newest reply: once the model has gone on, an older call is open no more, also if its result has expired.

import { STOP } from '../../codec/index.js'
import type { TurnReader, TurnState } from '../../context/index.js'
import type { Due, NodeRecord, Stop } from '../../core/index.js'
import { PactError, short } from '../../errors/index.js'
import { type Branch, eachRecord, regionOf, type Tree } from '../../timeline/index.js'
import { unapproved } from '../ai-sdk/approvals.js'
import { ATTRIBUTES, type CallPart, type Message, type Part, speakerOf } from './neutral.js'
import { unanswered } from './pair-calls.js'
import { coreMessagesBack, messagesOf, turnsBack } from './read-messages.js'
import { readerOf } from './read-part.js'
import { receivedCall } from './receive.js'
import { isCutCall } from './request-format.js'
import { isSummary } from './summaries.js'

export const TURN_READER: TurnReader = { stateOf, callIn }

function stateOf(tree: Tree): TurnState {
  const { messages, isOpen } = newestStep(tree)
  const { waiting, refused } = unapproved(messages)
  const isToMake = ({ callId }: CallPart): boolean => !waiting.has(callId) && !refused.has(callId)
  const open = openIn(messages)
  const calls = Object.freeze(open.filter(isToMake).map(receivedCall))
  const isWaiting = open.some(({ callId }) => waiting.has(callId))
  return { calls, due: calls.length > 0 ? 'calls' : dueAfter(messages.at(-1), isWaiting, isOpen) }
}

/** The next thing after a message, if no call is open. `isOpen` is true for a message of the open cycle. */
function dueAfter(last: Message | undefined, isWaiting: boolean, isOpen: boolean): Due {
  if (last === undefined) return 'user'
  const speaker = speakerOf(last)
  // Only a person can go on with a call that waits for an approval.
  if (isWaiting && speaker !== 'user') return 'nothing'
  if (speaker !== 'assistant' || GOES_ON.has(last.record.rare?.attributes?.get(STOP))) return 'reply'
  return isOpen ? 'nothing' : 'user'
}

/** The ends of replies that go on when they are sent back. */
const GOES_ON: ReadonlySet<unknown> = new Set<Stop>(['pause', 'compaction'])

/** The model's newest reply and everything after it; without a reply, all messages. */
function newestStep(tree: Tree): Readonly<{ messages: readonly Message[]; isOpen: boolean }> {
  const head = regionOf(tree, '^ah')
  const messages: Message[] = []
  let isOpen = false
  let reply: Message | undefined
  for (const { message, turn } of coreMessagesBack(turnsBack(tree))) {
    if (!counts(message)) continue
    const isReply = speakerOf(message) === 'assistant'
    if (reply !== undefined && !(isReply && isGoneOn(message, reply, turn))) break
    if (isReply) reply = message
    if (messages.length === 0) isOpen = turn === head
    messages.push(message)
  }
  return { messages: messages.reverse(), isOpen }
}

/**
 * True if a reply goes on in the next message. Where something made between them has left, it may have been the result of a call: then they
 * are two replies, since no call may be made twice.
 */
function isGoneOn(message: Message, next: Message, turn: Branch): boolean {
  if (GOES_ON.has(message.record.rare?.attributes?.get(STOP))) return true
  const { cycle } = message.record
  if (next.record.cycle !== cycle) return false
  const [from, to] = [Math.max(...indexesIn(message)), Math.min(...indexesIn(next))]
  if (to - from <= 1) return true
  const made = new Set<number>()
  eachRecord(turn, (record) => void (record.cycle === cycle && made.add(record.creationIndex)))
  for (let index = from + 1; index < to; index++) if (!made.has(index)) return false
  return true
}

function indexesIn({ record, parts }: Message): readonly number[] {
  return [record.creationIndex, ...parts.map((part) => part.record.creationIndex)]
}

/** Instructions ask for no reply, and a deleted message is in no request; a deleted result was given, though. */
function counts(message: Message): boolean {
  const speaker = speakerOf(message)
  if (speaker === 'system' || speaker === 'developer') return false
  // A summary that a provider made says nothing new.
  if (message.parts.length > 0 && message.parts.every(isSummary)) return false
  const isGone = message.parts.length > 0 && message.parts.every(({ kind }) => kind === 'gone')
  return !isGone || (speaker !== 'assistant' && message.parts.flatMap(deletedId).length > 0)
}

function openIn(messages: readonly Message[]): readonly CallPart[] {
  for (const message of messages) for (const part of message.parts) checkKnown(message.record, part)
  const deleted = new Set(messages.flatMap(({ parts }) => parts.flatMap(deletedId)))
  return unanswered(messages.map(withoutCuts)).filter(({ callId }) => !deleted.has(callId))
}

function deletedId(part: Part): readonly string[] {
  return part.kind === 'gone' && part.callId !== undefined ? [part.callId] : []
}

function withoutCuts(message: Message): Message {
  const parts = message.parts.filter((part) => part.kind !== 'call' || !isCutCall(part))
  return parts.length === message.parts.length ? message : { ...message, parts: parts }
}

/** A call in a form that no loaded adapter reads would be taken for none. */
function checkKnown(message: NodeRecord, { kind, record }: Part): void {
  if (kind === 'call' || record.kind !== 'call') return
  const format = message.rare?.attributes?.get(ATTRIBUTES.format)
  if (typeof format !== 'string' || readerOf(format) !== undefined) return
  const text = `The call ${short(record.id)} has the form of the adapter "${short(format)}", which is not loaded; import the module that defines it.`
  throw new PactError('E_CONTENT_INVALID', text, { name: 'adapter', format, id: record.id })
}

function callIn(tree: Tree, id: string): ReturnType<TurnReader['callIn']> {
  const messages = [...turnsBack(tree)]
    .toReversed()
    .flatMap((turn) => messagesOf(turn))
    .map(withoutCuts)
  const called = (part: Part): part is CallPart => part.kind === 'call' && part.callId === id
  const open = openIn(messages).findLast(called)
  const call = open ?? messages.flatMap(({ parts }) => parts).findLast(called)
  return call && { call: receivedCall(call), isAnswered: open === undefined }
}
