// Calls and results against a model of the rule that looks at the whole conversation at once: whatever was committed when, every call
// is answered right behind its message, by the first result that is its own, or by a stub.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createContext, importSnapshot, type Context } from '../../context/index.js'
import { Adapter } from './adapter.js'
import type { Message, Part } from './neutral.js'
import type { PlainObject } from './plain-json.js'
import type { RequestFormat } from './request-format.js'

type Step =
  | Readonly<{ do: 'say' | 'commit' | 'note' }>
  | Readonly<{ do: 'call'; ids: readonly string[] }>
  | Readonly<{ do: 'result'; id: string }>

/** Writes the order of the parties, and nothing else. */
const ECHO: RequestFormat<Record<string, never>> = {
  name: 'openai-chat',
  version: 1,
  list: 'messages',
  isBlank: (text) => text === '',
  write: (messages) => messages.map(({ parts }: Message): PlainObject => ({ parts: parts.map(nameOf) })),
  filler: () => ({ parts: [] }),
  request: () => ({ before: {} }),
}

function nameOf(part: Part): string {
  return part.kind === 'result' && part.isStub ? `stub of ${part.record.id}` : `${part.kind} ${part.record.id}`
}

const adapter = new Adapter(ECHO)

type Said = Readonly<{ kind: string; callId?: string; node: string }>

/** The steps as a context, and as one list of messages. */
function played(steps: readonly Step[]): Readonly<{ ctx: Context; messages: readonly (readonly Said[])[] }> {
  const ctx = createContext()
  const messages: (readonly Said[])[] = []
  for (const step of steps) {
    if (step.do === 'commit') ctx.commit()
    else if (step.do === 'call') {
      const content = { name: 'look', arguments: {} }
      const children = step.ids.map((id) => ({ content, kind: 'call', role: 'assistant', data_call_id: id }))
      const made = ctx.add(undefined, { zone: 'core', role: 'assistant', children })
      messages.push(made.children.map(({ id }, i) => ({ kind: 'call', callId: step.ids[i]!, node: id })))
    } else if (step.do === 'say') messages.push([{ kind: 'text', node: ctx.user('Hi').id }])
    else if (step.do === 'note') messages.push([{ kind: 'text', node: ctx.post('Note').id }])
    else if (step.do === 'result') {
      const { id } = ctx.tool('found', { kind: 'result', data_call_id: step.id })
      messages.push([{ kind: 'result', callId: step.id, node: id }])
    }
  }
  return { ctx, messages }
}

/** The rule itself: the first result with its id that no call has, up to the next message that calls that id. */
function answersIn(messages: readonly (readonly Said[])[]): ReadonlyMap<Said, Said> {
  const answers = new Map<Said, Said>()
  const waiting = new Map<string, Said[]>()
  for (const message of messages) {
    for (const { callId } of message.filter(({ kind }) => kind === 'call')) waiting.set(callId!, [])
    for (const part of message) {
      if (part.kind === 'call') waiting.get(part.callId!)!.push(part)
      const call = part.kind === 'result' ? waiting.get(part.callId!)?.shift() : undefined
      if (call !== undefined) answers.set(call, part)
    }
  }
  return answers
}

/** Every message but results, each with its answers; results are listed without their order. */
function expected(messages: readonly (readonly Said[])[]): readonly (readonly string[])[] {
  const answers = answersIn(messages)
  return messages
    .filter(([first]) => first!.kind !== 'result')
    .map((message) => [
      ...message.map(({ kind, node }) => `${kind} ${node}`),
      ...message
        .filter(({ kind }) => kind === 'call')
        .map((call) => (answers.has(call) ? `result ${answers.get(call)!.node}` : `stub of ${call.node}`))
        .toSorted(),
    ])
}

/** The same of what was rendered. */
function rendered(ctx: Context): readonly (readonly string[])[] {
  const { messages } = adapter.request(ctx) as unknown as { messages: readonly { parts: readonly string[] }[] }
  const groups: string[][] = []
  for (const { parts } of messages.filter((message) => message.parts.length > 0)) {
    if (/^(result|stub)/.test(parts[0]!)) groups.at(-1)!.push(...parts)
    else groups.push([...parts])
  }
  return groups.map((group) => {
    const said = group.filter((name) => !/^(result|stub)/.test(name))
    return [...said, ...group.slice(said.length).toSorted()]
  })
}

const arbitrarySteps = fc.array(
  fc.oneof(
    fc.constantFrom<Step>({ do: 'say' }, { do: 'commit' }, { do: 'commit' }, { do: 'note' }),
    fc.record({
      do: fc.constant('call' as const),
      ids: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ do: fc.constant('result' as const), id: fc.constantFrom('a', 'b', 'c') }),
  ),
  { maxLength: 14 },
)

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

describe('calls and results over turns', () => {
  test('stand as the rule says, whatever was committed when', () => {
    fc.assert(
      fc.property(arbitrarySteps, (steps) => {
        // Notes come at the end of their turn, wherever they were made; the model does not move them.
        const { ctx, messages } = played(steps.filter((step) => step.do !== 'note'))
        expect(rendered(ctx)).toEqual(expected(messages))
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  test('are the same after every commit as in a fresh context', () => {
    fc.assert(
      fc.property(arbitrarySteps, (steps) => {
        const ctx = createContext()
        for (const step of steps) {
          if (step.do === 'call') {
            for (const id of step.ids) ctx.assistant({ name: 'look' }, { kind: 'call', data_call_id: id })
          } else if (step.do === 'result') ctx.tool('found', { kind: 'result', data_call_id: step.id })
          else if (step.do === 'note') ctx.post('Note')
          else if (step.do === 'say') ctx.user('Hi')
          else {
            ctx.commit()
            const { bytes } = adapter.request(ctx)
            expect(adapter.request(importSnapshot(ctx.export('@t0'))).bytes).toEqual(bytes)
          }
        }
      }),
      { seed: SEED, numRuns: 150 },
    )
  })

  test('that stand right are not touched, in whatever order, also over a commit', () => {
    const steps: readonly Step[] = [
      { do: 'say' },
      { do: 'call', ids: ['a', 'b'] },
      { do: 'result', id: 'b' },
      { do: 'result', id: 'a' },
      { do: 'call', ids: ['a', 'c'] },
      { do: 'commit' },
      { do: 'result', id: 'c' },
      { do: 'result', id: 'a' },
      { do: 'say' },
    ]
    const { ctx, messages } = played(steps)
    const made = adapter.request(ctx)
    const names = messages.map((message) => ({ parts: message.map(({ kind, node }) => `${kind} ${node}`) }))
    expect(made['messages']).toEqual(names)
    expect(made.repairs).toEqual([])
  })

  test('a stub names its call, a moved result its own node, a left-out one itself', () => {
    const { ctx, messages } = played([
      { do: 'result', id: 'z' },
      { do: 'call', ids: ['a'] },
      { do: 'say' },
      { do: 'result', id: 'a' },
      { do: 'call', ids: ['b'] },
    ])
    const [orphan, , , moved, open] = messages.map(([first]) => first!.node)
    expect(adapter.request(ctx).repairs.map(({ code, node }) => [code, node])).toEqual(
      expect.arrayContaining([
        ['orphan-result', orphan],
        ['moved-result', moved],
        ['stub-result', open],
      ]),
    )
  })
})
