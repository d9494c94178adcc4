// A message of Claude as its client puts it together from a stream, whole or broken off.

import Anthropic from '@anthropic-ai/sdk'

import type { Block } from './bound-claude.js'

type Message = Readonly<{ content: readonly Block[]; stop_reason: string | null }>

/** With `breaks`, the stream ends in the middle of the last block: the client has no final message then, and its last state is given. */
export async function streamed(message: object, breaks: boolean): Promise<object> {
  const { content, stop_reason: stop, ...about } = message as Message
  const events = [
    { type: 'message_start', message: { ...about, content: [], stop_reason: null, stop_sequence: null } },
    ...content.flatMap((block, index) => blockEvents(block, index)),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]
  // Without the end of the message, of the block, and of its last part.
  const sent = breaks ? events.slice(0, -4) : events
  const text = sent.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: async () => new Response(text, { headers }) })
  const stream = client.messages.stream({ model: 'claude', max_tokens: 1, messages: [] })
  let last: object = {}
  stream.on('streamEvent', (_, state) => (last = structuredClone(state)))
  const whole = await stream.finalMessage().catch(() => undefined)
  return breaks ? last : whole!
}

type Event = Readonly<{ type: string; index: number }> & Readonly<Record<string, unknown>>

/** Each block comes in two parts. */
function blockEvents(block: Block, index: number): readonly Event[] {
  const deltas = deltasOf(block)
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...EMPTY[String(block['type'])] } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: { input: {} },
}

function deltasOf({ type, text, thinking, signature, input }: Block): readonly object[] {
  if (type === 'text') return halves(String(text)).map((each) => ({ type: 'text_delta', text: each }))
  if (type === 'tool_use') {
    return halves(JSON.stringify(input)).map((each) => ({ type: 'input_json_delta', partial_json: each }))
  }
  if (type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ]
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
