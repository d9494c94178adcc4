// A scripted answer of two steps for the AI SDK, in the stream parts that versions 6 and 7 share.

import { jsonSchema, tool } from 'ai'

export type ScriptedStep = readonly Readonly<{ thought?: string; text?: string; call?: string; input?: object }>[]

/** A thought, a text and a call; then the answer. */
export const SCRIPT: readonly ScriptedStep[] = [
  [{ thought: 'I look.' }, { text: 'Let me look.' }, { call: 'c1', input: { city: 'Rome' } }],
  [{ text: 'It is sunny.' }],
]

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** The parts that a model streams for a step. */
export function scriptedParts(step: ScriptedStep): readonly object[] {
  const parts = step.flatMap(({ thought, text, call, input }, at): readonly object[] => {
    if (call !== undefined)
      return [{ type: 'tool-call', toolCallId: call, toolName: 'weather', input: JSON.stringify(input ?? {}) }]
    const kind = thought === undefined ? 'text' : 'reasoning'
    const id = String(at)
    return [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: thought ?? text },
      { type: `${kind}-end`, id },
    ]
  })
  const unified = step.some(({ call }) => call !== undefined) ? 'tool-calls' : 'stop'
  const finish = { type: 'finish', finishReason: { unified, raw: undefined }, usage }
  return [{ type: 'stream-start', warnings: [] }, ...parts, finish]
}

/** The tool of the script; `ran` gets the city of each call that runs. */
export function scriptedTools(ran: string[] = [], needsApproval = false) {
  return {
    weather: tool({
      inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
      needsApproval,
      execute: ({ city }) => {
        ran.push(city)
        return `${city}: sunny`
      },
    }),
  }
}
