// Streamed interactions, word by word as the API documents its events, and the interactions that they are.

import type { Interactions } from '@google/genai'

type Event = Interactions.InteractionSSEEvent
type Step = Interactions.Step

export type StreamedCase = Readonly<{ what: string; events: readonly Event[]; steps: readonly Step[]; cut?: string }>

const start = (index: number, step: object): Event => ({ event_type: 'step.start', index, step: step as Step })
const stop = (index: number): Event => ({ event_type: 'step.stop', index })
const delta = (index: number, given: object): Event =>
  ({ event_type: 'step.delta', index, delta: given }) as unknown as Event
const text = (index: number, said: string): Event => delta(index, { type: 'text', text: said })

const USAGE = { total_input_tokens: 900, total_cached_tokens: 800, total_output_tokens: 20, total_thought_tokens: 5 }
const about = (status: string, id = 'v1_a') => ({ id, status, object: 'interaction', model: 'gemini-3' })
const created = (id?: string): Event => ({ event_type: 'interaction.created', interaction: about('in_progress', id) })
const completed = (status: string, id?: string): Event => ({
  event_type: 'interaction.completed',
  interaction: { ...about(status, id), usage: USAGE },
})

function whole(events: readonly Event[], status = 'completed'): readonly Event[] {
  return [
    created(),
    { event_type: 'interaction.status_update', interaction_id: 'v1_a', status: 'in_progress' },
    ...events,
    completed(status),
  ]
}

export const STREAMED: readonly StreamedCase[] = [
  {
    what: 'a thought, and words with a citation',
    events: whole([
      start(0, { type: 'thought' }),
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'Let me ' } }),
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'think.' } }),
      delta(0, { type: 'thought_signature', signature: 'c2ln' }),
      stop(0),
      start(1, { type: 'model_output' }),
      text(1, 'Sun'),
      text(1, 'ny.'),
      delta(1, { type: 'text_annotation_delta', annotations: [{ type: 'url_citation', url: 'https://example.com' }] }),
      stop(1),
    ]),
    steps: [
      { type: 'thought', summary: [{ type: 'text', text: 'Let me think.' }], signature: 'c2ln' },
      {
        type: 'model_output',
        content: [
          { type: 'text', text: 'Sunny.', annotations: [{ type: 'url_citation', url: 'https://example.com' }] },
        ],
      },
    ],
  },
  {
    what: 'parallel calls whose arguments come in pieces, one between the other',
    events: whole(
      [
        start(0, { type: 'thought', signature: 'c2ln' }),
        stop(0),
        start(1, { type: 'function_call', id: 'a', name: 'weather', arguments: {} }),
        start(2, { type: 'function_call', id: 'b', name: 'weather', arguments: {} }),
        delta(1, { type: 'arguments_delta', arguments: '{"city": "Ro' }),
        delta(2, { type: 'arguments_delta', arguments: '{"city"' }),
        delta(1, { type: 'arguments_delta', arguments: 'me"}' }),
        delta(2, { type: 'arguments_delta', arguments: ': "Oslo"}' }),
        stop(1),
        stop(2),
      ],
      'requires_action',
    ),
    steps: [
      { type: 'thought', signature: 'c2ln' },
      { type: 'function_call', id: 'a', name: 'weather', arguments: { city: 'Rome' } },
      { type: 'function_call', id: 'b', name: 'weather', arguments: { city: 'Oslo' } },
    ],
  },
  {
    what: 'tools of the provider, and a picture',
    events: whole([
      start(0, { type: 'google_search_call', id: 's', arguments: {} }),
      delta(0, { type: 'google_search_call', arguments: { queries: ['news'] }, signature: 'c2ln' }),
      stop(0),
      start(1, { type: 'google_search_result', call_id: 's', result: [] }),
      delta(1, { type: 'google_search_result', result: [{ search_suggestions: '<b/>' }], signature: 'c2lm' }),
      stop(1),
      start(2, { type: 'code_execution_call', id: 'c', arguments: {} }),
      delta(2, { type: 'code_execution_call', arguments: { code: 'print(42)', language: 'python' } }),
      stop(2),
      start(3, { type: 'code_execution_result', call_id: 'c', result: '' }),
      delta(3, { type: 'code_execution_result', result: '42' }),
      stop(3),
      start(4, { type: 'model_output' }),
      text(4, 'Here:'),
      delta(4, { type: 'image', data: 'AAAA', mime_type: 'image/png' }),
      stop(4),
    ]),
    steps: [
      { type: 'google_search_call', id: 's', arguments: { queries: ['news'] }, signature: 'c2ln' },
      { type: 'google_search_result', call_id: 's', result: [{ search_suggestions: '<b/>' }], signature: 'c2lm' },
      { type: 'code_execution_call', id: 'c', arguments: { code: 'print(42)', language: 'python' } },
      { type: 'code_execution_result', call_id: 'c', result: '42' },
      {
        type: 'model_output',
        content: [
          { type: 'text', text: 'Here:' },
          { type: 'image', data: 'AAAA', mime_type: 'image/png' },
        ],
      },
    ],
  },
  {
    what: 'a call that was cut off',
    events: whole(
      [
        start(0, { type: 'function_call', id: 'a', name: 'write', arguments: {} }),
        delta(0, { type: 'arguments_delta', arguments: '{"path": "/tmp/x", "text": "ha' }),
      ],
      'incomplete',
    ),
    steps: [{ type: 'function_call', id: 'a', name: 'write', arguments: {} }],
    cut: 'a',
  },
  {
    what: 'a reply that goes on in a second interaction, whose indexes begin anew',
    events: [
      created('v1_a'),
      start(0, { type: 'model_output' }),
      text(0, 'One '),
      stop(0),
      completed('requires_continuation', 'v1_a'),
      created('v1_b'),
      start(0, { type: 'model_output' }),
      text(0, 'two.'),
      stop(0),
      completed('completed', 'v1_b'),
    ],
    steps: [
      { type: 'model_output', content: [{ type: 'text', text: 'One ' }] },
      { type: 'model_output', content: [{ type: 'text', text: 'two.' }] },
    ],
  },
]

/** The events as the API sends them. */
export function eventStream(events: readonly Event[]): Response {
  const lines = events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`)
  return new Response(`${lines.join('')}event: done\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}
