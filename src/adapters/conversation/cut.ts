// Calls whose arguments were cut off: a reply ended inside them. Executing such a call would do something that the model never asked for.

import type { Stop } from '../../core/index.js'
import { inputValue } from './write-part.js'

/** The arguments of a call, and what is known about their end. */
export type CallEnd = Readonly<{
  inputText: string | undefined
  /** True if the call is the last part of its reply. */
  isLast: boolean
  /** True if the provider says that the call is not whole. */
  isPartial: boolean
}>

/** True if the arguments of a call are not whole. Clients complete what was streamed, so a value alone does not show it. */
export function isCut({ inputText: text, isLast, isPartial }: CallEnd, stop: Stop | undefined): boolean {
  if (isPartial) return true
  const isCutOff = isLast && stop === 'length'
  if (text === undefined) return isCutOff
  if (text.trim() === '') return isCutOff
  return inputValue(text) === undefined && isHalfJson(text)
}

/** True for the beginning of a JSON text: something more would make it whole. */
function isHalfJson(text: string): boolean {
  const { closing, isInString } = openIn(text)
  if (isInString) return isWhole(`${text.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')}"`, closing)
  return isWhole(text, closing) || isWhole(text.replace(/[\w.+-]+$/, ''), closing)
}

/** True if one of the ways to go on makes it JSON: a value, the value of a key, a key, or an end. */
function isWhole(text: string, closing: string): boolean {
  return ['', 'null', ':null', '"":null'].some((more) => inputValue(`${text}${more}${closing}`) !== undefined)
}

/** The brackets that a text leaves open, as they would be closed. */
function openIn(text: string): Readonly<{ closing: string; isInString: boolean }> {
  const open: string[] = []
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (isInString) {
      if (char === '\\') i++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') open.pop()
  }
  return { closing: open.toReversed().join(''), isInString }
}
