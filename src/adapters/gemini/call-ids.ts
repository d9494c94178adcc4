// Gemini's calls often have no id. In a context they have one of ours, by which their results find them; to Gemini both go back without it,
// and then their order tells which is whose.

import { derivedId } from '../conversation/read-part.js'

/** The id of a call that came without one; other providers take it. */
export function madeId(text: string): string {
  return `gemini_${derivedId(text).slice('call_'.length)}`
}

export function isMade(callId: string): boolean {
  return callId.startsWith('gemini_') && MADE.test(callId)
}

const MADE = /^gemini_[0-9a-f]{24}$/

/** A response to a call. */
type Answer = Readonly<{ callId: string; name: string | undefined }>

/** The same answers, in which those to calls of one name that have no ids follow each other as their calls do. */
export function inCallOrder<Given extends Answer>(
  answers: readonly Given[],
  asked: readonly string[],
): readonly Given[] {
  if (!answers.some(({ callId }) => isMade(callId))) return answers
  const places = answers.map(({ callId }) => (isMade(callId) ? asked.indexOf(callId) : -1))
  const ordered = [...answers]
  for (const name of new Set(answers.map((each) => each.name))) {
    const slots = answers.flatMap((each, i) => (each.name === name && places[i]! >= 0 ? [i] : []))
    const sorted = slots.toSorted((a, b) => places[a]! - places[b]!)
    for (const [i, slot] of slots.entries()) ordered[slot] = answers[sorted[i]!]!
  }
  return ordered
}
