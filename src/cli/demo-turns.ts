// A made-up conversation for `pctx demo`: in four commits, nodes stay, leave and return.

import type { JsonValue } from '../core/index.js'

type Edit = Readonly<Record<string, JsonValue>>

/** One list of operations for each commit. */
export const DEMO_TURNS: readonly (readonly Edit[])[] = [
  [
    {
      op: 'add',
      region: 'system',
      content: 'You work at the help desk of a small airline. Be brief.',
      header: { key: 'policy' },
    },
    {
      op: 'pre',
      content: 'Plan: find the booking, then offer another flight.',
      header: { key: 'plan', kind: 'plan', ttl: 2 },
    },
    { op: 'user', content: 'My flight to Oslo was cancelled. What now?' },
    {
      op: 'assistant',
      content: { name: 'find_booking', arguments: { name: 'K. Berg' } },
      header: { kind: 'call', data_call_id: 'call-1' },
    },
    {
      op: 'tool',
      content: 'Booking 7KQ2: Oslo, 14 May, cancelled',
      header: { kind: 'result', data_call_id: 'call-1' },
    },
    { op: 'assistant', content: 'I am sorry. There is a seat tomorrow at 9:40; shall I book it?' },
  ],
  [
    { op: 'user', content: 'What would that cost me?' },
    {
      op: 'post',
      content: 'Doc: after a cancellation another flight is free of charge.',
      header: { key: 'kb', ttl: 1 },
    },
    { op: 'assistant', content: 'Nothing: after a cancellation another flight is free.' },
  ],
  [
    { op: 'user', content: 'Then yes, please.' },
    {
      op: 'assistant',
      content: { name: 'book', arguments: { booking: '7KQ2', flight: 'NX 214' } },
      header: { kind: 'call', data_call_id: 'call-2' },
    },
    { op: 'tool', content: 'NX 214, 15 May 9:40, seat 12A', header: { kind: 'result', data_call_id: 'call-2' } },
    { op: 'assistant', content: 'Done: NX 214 tomorrow at 9:40, seat 12A.' },
  ],
  [
    {
      op: 'replace',
      region: 'system',
      selector: '^sys #policy',
      spec: { content: 'You work at the help desk of a small airline. Be brief and kind.' },
    },
    { op: 'user', content: 'Thank you!' },
    { op: 'assistant', content: 'Have a good flight.' },
  ],
]
