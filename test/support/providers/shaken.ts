// A context whose nodes are taken, changed and moved at random, as people and policies do it: whatever is left has to render.

import fc from 'fast-check'

import { PactError, sel, type Context } from '../../../src/index.js'

/** The steps done to a context; numbers choose among what is there. */
export type Shake = Readonly<{
  what: (typeof SHAKES)[number]
  at: number
  to: number
}>

const SHAKES = [
  'delete',
  'redact',
  'forget',
  'expire',
  'replace',
  'move',
  'pre',
  'post',
  'user',
  'call',
  'result',
  'commit',
] as const

export function arbitraryShakes(most = 8): fc.Arbitrary<readonly Shake[]> {
  const shake = fc.record({ what: fc.constantFrom(...SHAKES), at: fc.nat(10_000), to: fc.nat(10_000) })
  return fc.array(shake, { minLength: 1, maxLength: most })
}

/** Does all of it; what the context refuses is no part of the law. */
export function shake(ctx: Context, shakes: readonly Shake[]): void {
  for (const each of shakes) {
    try {
      doOne(ctx, each)
    } catch (error) {
      if (!PactError.is(error) || error.code === 'E_INTERNAL') throw error
    }
  }
}

function doOne(ctx: Context, { what, at, to }: Shake): void {
  const ids = ctx.select(at % 2 === 0 ? '.block' : '(.block, .cont)')
  const id = ids[at % Math.max(1, ids.length)] ?? 'none'
  const target = sel`[id=${id}]`
  const inSystem = ctx.node(id, 'working')?.parentId === undefined || ctx.coordinate(id)?.startsWith('(d-') === true
  switch (what) {
    case 'delete':
      return void (inSystem ? ctx.system : ctx).delete(target)
    case 'redact':
      return void ctx.redact(target, { match: 'a', with: to % 2 === 0 ? '' : '[x]' })
    case 'forget':
      return void ctx.forget(target)
    case 'expire':
      return void ctx.update(target, { ttl: to % 3 })
    case 'replace':
      return void ctx.replace(target, {
        content: [`text ${to}`, { a: to }, '', [{ type: 'text', text: 'b' }]][to % 4]!,
      })
    case 'move':
      return void ctx.move(target, [`(d${to % 4}, end)`, `(d${to % 4}, 0, +1)`, '(d0, -1)'][to % 3]!)
    case 'pre':
      return void ctx.pre(`note ${to}`, { ttl: to % 3 })
    case 'post':
      return void ctx.post({ to }, { key: 'note' })
    case 'user':
      return void ctx.user([`more ${to}`, ''][to % 2]!)
    case 'call':
      return void ctx.assistant({ name: 'look', arguments: { to } }, { kind: 'call', data_call_id: `call_${to % 3}` })
    case 'result':
      return void ctx.tool(`seen ${to}`, { kind: 'result', data_call_id: `call_${to % 3}` })
    case 'commit':
      return void ctx.commit()
  }
}
