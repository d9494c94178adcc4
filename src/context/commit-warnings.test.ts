// The warnings of a commit (D51): unmet limits, calls without results, results without calls; once, with
// ids and what to do. That nothing is missed and nothing made up is a law of its own, test/laws/orphan-laws.test.ts.

import { describe, expect, it, test } from 'vitest'

import { createContext, type Context, type ContextOptions, type Warning } from '../index.js'

/** The warnings that a run of the context gives, as `kind callId: ids`. */
function told(ctx: Context): string[] {
  return ctx.warnings.map(({ details: { kind, callId, ids } }) => {
    return `${String(kind)} ${String(callId)}: ${(ids as readonly string[]).join(' ')}`
  })
}

function call(ctx: Context, callId: string | string[], header: object = {}): string {
  return ctx.assistant({ name: 'ls', arguments: {} }, { kind: 'call', data_call_id: callId, ...header }).id
}

function result(ctx: Context, callId: string | string[], header: object = {}): string {
  return ctx.tool('files', { kind: 'result', data_call_id: callId, ...header }).id
}

function turn(ctx: Context, content = 'next'): void {
  ctx.user(content)
  ctx.commit()
}

describe('an unmet limit', () => {
  const unmet = (options: ContextOptions = {}): Context => {
    return createContext({ prune: { maxNodes: 9, protectSegments: 0 }, ...options })
  }

  it('warns with rule, limit, measured value, ids and what to do (D51)', () => {
    const heard: Warning[] = []
    const ctx = unmet({ onWarning: (warning) => heard.push(warning) })
    const kept = ctx.user('kept')
    ctx.hold(kept.id)
    ctx.commit()
    turn(ctx)
    expect(ctx.warnings).toEqual([
      {
        message:
          `maxNodes is 9, but the snapshot of cycle 2 has 10: nothing more may be pruned (${kept.id} had to stay). ` +
          'Raise the limit, lower protectSegments, or free what is pinned, held or referred to.',
        details: { kind: 'unmet-limit', ids: [kept.id], rule: 'maxNodes', limit: 9, actual: 10, cycle: 2 },
      },
    ])
    expect(heard).toEqual(ctx.warnings)
    expect(heard[0]).toBe(ctx.warnings[0])
  })

  it('warns again only after it was met', () => {
    const ctx = unmet()
    const hold = ctx.hold(ctx.user('kept').id)
    ctx.commit()
    const cycles = (): unknown[] => ctx.warnings.map(({ details }) => details['cycle'])
    for (let i = 0; i < 3; i++) turn(ctx)
    expect(cycles()).toEqual([2])
    hold.release()
    ctx.commit()
    expect(ctx.snapshot().receipt.unmet).toEqual([])
    ctx.hold(ctx.user('again').id)
    ctx.commit()
    turn(ctx)
    expect(cycles()).toEqual([2, 7])
  })

  it('is no warning of a preview, nor of a commit that is refused', () => {
    const ctx = createContext({ prune: { maxNodes: 4 } })
    call(ctx, 'c1')
    ctx.preview()
    ctx.threadBytes('preview')
    expect(ctx.warnings).toEqual([])
    const strict = ctx.fork('working', { prune: { maxNodes: 4, unmet: 'error' } })
    expect(() => strict.commit()).toThrow('maxNodes is 4')
    expect(strict.warnings).toEqual([])
  })
})

describe('a commit that seals nothing and follows no edit', () => {
  it('warns with the ids of the nodes that it aged, and still makes its snapshot (D25)', () => {
    const ctx = createContext()
    const rule = ctx.system.add('rule', { ttl: 2 }).id
    ctx.user('lasting')
    const brief = ctx.user('brief', { ttl: 1 }).id
    const long = ctx.user('long', { ttl: 5 }).id
    ctx.commit()
    expect(ctx.warnings).toEqual([])
    expect(ctx.commit().cycle).toBe(2)
    expect(ctx.warnings).toEqual([
      {
        message:
          'The commit of cycle 2 followed no edit and sealed no turn, but every commit counts ttls down: ' +
          `${rule}, ${brief}, ${long} aged by one. Commit once for each turn.`,
        details: { kind: 'empty-commit', ids: [rule, brief, long], cycle: 2 },
      },
    ])
    ctx.commit()
    ctx.commit()
    expect(told(ctx).slice(1)).toEqual([`empty-commit undefined: ${rule} ${long}`, `empty-commit undefined: ${long}`])
  })

  it('is none after an edit or a released hold, nor where no ttl runs', () => {
    const ctx = createContext()
    const text = ctx.user('text')
    ctx.commit()
    ctx.commit()
    const brief = ctx.system.add('brief', { ttl: 9 })
    const hold = ctx.hold(brief.id)
    ctx.commit()
    ctx.replace(`[id='${text.id}']`, { content: 'other' })
    ctx.commit()
    hold.release()
    ctx.commit()
    expect(ctx.warnings).toEqual([])
  })

  it('names a hundred nodes at most', () => {
    const ctx = createContext()
    for (let i = 0; i < 150; i++) ctx.user('brief', { ttl: 3 })
    ctx.commit()
    ctx.commit()
    expect(ctx.warnings[0]!.details['ids']).toHaveLength(100)
  })
})

describe('a call without its result', () => {
  it('warns once its result has expired, with ids, cause and what to do', () => {
    const ctx = createContext()
    const asked = call(ctx, 'c1')
    const answer = result(ctx, 'c1', { ttl: 1 })
    ctx.commit()
    expect(ctx.warnings).toEqual([])
    turn(ctx)
    expect(ctx.warnings).toEqual([
      {
        message:
          `The call ${asked} (call id "c1") has no result in the snapshot of cycle 2: ${answer} has expired. Providers ` +
          'refuse a call without its result; add one with kind "result" and data_call_id "c1", or delete the call.',
        details: { kind: 'orphan-call', ids: [asked], cycle: 2, lost: [answer], callId: 'c1' },
      },
    ])
    for (let i = 0; i < 3; i++) turn(ctx)
    expect(ctx.warnings).toHaveLength(1)
  })

  it('waits for a result until the next turn is sealed, and no longer', () => {
    const ctx = createContext()
    const [first, second] = [call(ctx, 'c1'), call(ctx, 'c2')]
    ctx.commit()
    ctx.commit() // nothing to seal: the turn is still the newest
    expect(ctx.warnings).toEqual([])
    result(ctx, 'c2')
    ctx.commit()
    expect(told(ctx)).toEqual([`orphan-call c1: ${first}`])
    expect(ctx.warnings[0]!.message).toContain('none came before the next turn was sealed')
    expect(told(ctx).join()).not.toContain(second)
  })

  it('warns at once where the result came and went while the turn is the newest', () => {
    const ctx = createContext()
    const asked = call(ctx, 'c1')
    const answer = result(ctx, 'c1', { ttl: 1 })
    ctx.commit()
    ctx.commit()
    expect(told(ctx)).toEqual([`empty-commit undefined: ${answer}`, `orphan-call c1: ${asked}`])
  })

  it('counts a marker as nothing, on either side: adapters leave it out (D30)', () => {
    const ctx = createContext()
    const ids = ['c1', 'c2', 'c3'].map((id) => [call(ctx, id), result(ctx, id)] as const)
    ctx.commit()
    ctx.delete(`[id='${ids[0]![1]}']`)
    ctx.delete(`[id='${ids[1]![0]}']`)
    ctx.delete(`[id='${ids[2]![0]}'], [id='${ids[2]![1]}']`)
    turn(ctx)
    expect(told(ctx)).toEqual([`orphan-call c1: ${ids[0]![0]}`, `orphan-result c2: ${ids[1]![1]}`])
    expect(ctx.warnings[0]!.message).toContain(`${ids[0]![1]} was deleted`)
  })

  it('is none where several results, a replaced one, or one with only a role answer it', () => {
    const ctx = createContext()
    call(ctx, 'c1')
    const [first] = [result(ctx, 'c1'), result(ctx, 'c1', { ttl: 1 })]
    call(ctx, 'c2')
    ctx.tool('files', { data_call_id: 'c2' })
    ctx.commit()
    ctx.replace(`[id='${first}']`, { content: 'fewer files' })
    turn(ctx)
    turn(ctx)
    expect(ctx.warnings).toEqual([])
  })

  it('is judged for each id of a list, and for each call where an id recurs (D27)', () => {
    const ctx = createContext()
    const both = call(ctx, ['a', 'b'])
    result(ctx, 'a')
    const again = call(ctx, 'x')
    result(ctx, 'x')
    ctx.commit()
    turn(ctx)
    expect(told(ctx)).toEqual([`orphan-call b: ${both}`])
    const twice = call(ctx, 'x')
    turn(ctx)
    turn(ctx)
    expect(told(ctx)).toEqual([`orphan-call b: ${both}`, `orphan-call x: ${twice}`])
    expect(again).not.toBe(twice)
  })

  it('is found by refs alone, too, and follows what stands in for it (D27, D41)', () => {
    const ctx = createContext()
    const asked = ctx.assistant('ls', { kind: 'call' }).id
    const brief = ctx.assistant('pwd', { kind: 'call' }).id
    const unknown = ctx.assistant('who', { kind: 'call' }).id
    ctx.tool('files', { kind: 'result', refs: [asked] })
    const answer = ctx.tool('/', { kind: 'result', refs: [brief], ttl: 2 }).id
    ctx.commit()
    ctx.replace(`[id='${asked}'], [id='${brief}']`, { priority: 1 })
    turn(ctx)
    expect(ctx.warnings).toEqual([])
    turn(ctx)
    const standIn = ctx.first(`[supersedes='${brief}']`)!.id
    expect(told(ctx)).toEqual([`orphan-call undefined: ${standIn}`])
    expect(ctx.warnings[0]!.details).toMatchObject({ lost: [answer] })
    expect(ctx.warnings[0]!.message).toContain('refs that name the call')
    expect(told(ctx).join()).not.toContain(unknown)
  })
})

describe('a result without its call', () => {
  it('warns, whether its call has left or never was there', () => {
    const ctx = createContext()
    const asked = call(ctx, 'c1', { ttl: 1 })
    const answer = result(ctx, 'c1')
    const stray = result(ctx, 'c2')
    ctx.commit()
    expect(told(ctx)).toEqual([`orphan-result c2: ${stray}`])
    expect(ctx.warnings[0]!.message).toBe(
      `The result ${stray} (call id "c2") has no call in the snapshot of cycle 1 before it. Providers refuse a ` +
        'result without its call; delete the result, or add the call with kind "call" before it.',
    )
    turn(ctx)
    expect(told(ctx).slice(1)).toEqual([`orphan-result c1: ${answer}`])
    expect(ctx.warnings[1]!.message).toContain(`: ${asked} has expired. Providers`)
  })

  it('is found by refs alone, and not where they name no call', () => {
    const ctx = createContext()
    const note = ctx.post('note', { ttl: 1 }).id
    const asked = ctx.system.add('ls', { kind: 'call' }).id
    const answer = ctx.tool('files', { kind: 'result', refs: [asked, note] }).id
    ctx.tool('text', { kind: 'result', refs: [note, 'nobody'] })
    ctx.commit()
    ctx.system.delete('.block')
    turn(ctx)
    expect(told(ctx)).toEqual([`orphan-result undefined: ${answer}`])
  })
})

test('an id that recurs without end is judged by its newest carriers', () => {
  const ctx = createContext()
  for (let i = 0; i < 100; i++) {
    call(ctx, 'x')
    result(ctx, 'x')
    ctx.commit()
  }
  expect(ctx.warnings).toEqual([])
  const last = call(ctx, 'x')
  ctx.commit()
  turn(ctx)
  expect(told(ctx)).toEqual([`orphan-call x: ${last}`])
})

describe('cuts in a row', () => {
  const cutting = (prune: ContextOptions['prune']): string[] => {
    const ctx = createContext({ prune, countTokens: () => 10 })
    for (let i = 0; i < 20; i++) {
      ctx.user(`${i}`)
      ctx.commit()
    }
    return ctx.warnings.map(({ details }) => String(details['kind']))
  }

  it('are warned of once, whatever makes them', () => {
    expect(cutting({ maxTokens: 95, target: 0.99 })).toEqual(['cuts-in-a-row'])
    expect(cutting({ maxTokens: 20, protectSegments: 1 })).toEqual(['cuts-in-a-row'])
    expect(cutting({ maxTokens: 100, target: 1 })).toEqual(['target-at-limit', 'cuts-in-a-row'])
  })

  it('do not happen with low water, and are none of the other limits', () => {
    expect(cutting({ maxTokens: 100 })).toEqual([])
    expect(cutting({ maxNodes: 20 })).toEqual([])
  })
})
