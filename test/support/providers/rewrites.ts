// Changes of a conversation in a context: budgets, edits of history, ttls, moves, markers, forgetting, and blocks around
// the turns.

import fc from 'fast-check'

import type { Context, ContextOptions } from '../../../src/index.js'

const KINDS = [
  'delete',
  'redact vowels',
  'redact letters',
  'expire',
  'move',
  'replace',
  'forget',
  'commit',
  'post',
  'pre',
  'user',
  'call',
] as const

export type Rewrite = Readonly<{ kind: (typeof KINDS)[number]; at: number; to: number }>

export const rewrites: fc.Arbitrary<readonly Rewrite[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(), to: fc.nat() }),
  { maxLength: 12 },
)

export const budgets: fc.Arbitrary<ContextOptions> = fc
  .record({
    maxTokens: fc.constantFrom(undefined, 1, 20, 60, 200, 1_000, 5_000),
    unit: fc.constantFrom('node' as const, 'turn' as const),
    target: fc.constantFrom(undefined, 0.5),
  })
  .map(({ maxTokens, unit, target }) =>
    maxTokens === undefined ? {} : { prune: { maxTokens, unit, ...(target === undefined ? {} : { target }) } },
  )

export function rewrite(ctx: Context, { kind, at, to }: Rewrite): void {
  const ids = ctx.select('.block, .cont')
  const id = ids.length === 0 ? undefined : ids[at % ids.length]
  const one = `[id='${id}']`
  try {
    if (kind === 'commit') ctx.commit()
    else if (kind === 'post') ctx.post('a note', { ttl: 1 })
    else if (kind === 'pre') ctx.pre(to % 2 === 0 ? 'a plan' : { plan: ['one'] }, { key: 'plan' })
    else if (kind === 'user') ctx.user('more')
    else if (kind === 'call') {
      ctx.assistant({ name: 'look up', arguments: { q: to } }, { kind: 'call', data_call_id: `c/${to % 3}` })
      if (to % 2 === 0) ctx.tool({ found: to }, { kind: 'result', data_call_id: `c/${to % 3}` })
    } else if (id === undefined) return
    else if (kind === 'delete') ctx.delete(one)
    else if (kind === 'redact vowels') ctx.redact(one, { match: /[aeiou]+/, with: to % 2 === 0 ? '' : '█' })
    else if (kind === 'redact letters') ctx.redact(one, { match: /[^\s]+/, with: '' })
    else if (kind === 'expire') ctx.update(one, { ttl: to % 2 })
    else if (kind === 'replace') ctx.replace(one, { content: REPLACEMENTS[to % REPLACEMENTS.length]! })
    else if (kind === 'forget') ctx.forget(one)
    else ctx.move(one, { depth: to % 3 })
  } catch (error) {
    // Not everything may be done to every node; what may, must leave a valid request.
    const { code } = error as { code?: string }
    if (code === undefined || code === 'E_INTERNAL') throw error
  }
}

const REPLACEMENTS = [
  'another text',
  ' ',
  { type: 'text', text: 'one of somebody’s' },
  { type: 'tool_use', id: 'a', input: 3 },
  { functionResponse: { name: 'x' } },
  [],
  { type: 'image', source: { type: 'base64', data: 'x' } },
]
