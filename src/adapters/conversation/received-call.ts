// A call as tools take it, the same for all providers.

import type { ReceivedCall } from '../../context/index.js'
import type { CallPart } from './neutral.js'
import { plainJson } from './plain-json.js'
import { inputText, inputValue } from './write-part.js'

type Call = Pick<CallPart, 'callId' | 'name' | 'input' | 'inputText'>

export function receivedCall(call: Call): ReceivedCall {
  const text = textInput(call)
  const value = text === undefined ? call.input : inputValue(text)
  // Numbers as tools expect them; the text has every digit.
  const given = value === undefined ? undefined : plainJson(value)
  return Object.freeze({ id: call.callId, name: call.name, arguments: given, argumentsText: inputText(call) })
}

/** The arguments as text, if they are that: a client that cannot read the arguments of a stream gives them as text. */
export function textInput({ input, inputText: text }: Pick<Call, 'input' | 'inputText'>): string | undefined {
  return text ?? (typeof input === 'string' ? input : undefined)
}
