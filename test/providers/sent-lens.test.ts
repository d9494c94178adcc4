// The tree that an attempt sent, read and compared like any other (N95): whatever was edited since, the lens
// `attempt:12-0` shows what the handle of that attempt shows.

import fc from 'fast-check'
import { createContext, type Attempt, type Context, type Lens } from 'pact-context'
import { toOpenAIChat } from 'pact-context/openai'
import { openStore } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

import { CALL } from '../support/attempts.js'
import { DIALECTS, refusal, textOf } from '../support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../support/edited.js'

const lensOf = ({ id }: Attempt): Lens => id

/** By id: every node of an export without its children, with its place. */
function nodesIn(bytes: Uint8Array): Map<string, string> {
  type Exported = Readonly<{ id: string; children?: readonly Exported[] }>
  const { root } = JSON.parse(textOf(bytes)) as { root: Exported }
  const found = new Map<string, string>()
  const walk = ({ children = [], ...node }: Exported, parent: string): void => {
    found.set(node.id, JSON.stringify({ ...node, parent }))
    for (const child of children) walk(child, node.id)
  }
  walk(root, '')
  return found
}

/**
 * The nodes of a sent tree as a lens shows them. The originals of a summary were not sent (D63), so the list of a summary is there only if
 * one of these snapshots holds the summary like this: the one that the attempt builds on, or that of its own cycle.
 */
function asSent(bytes: Uint8Array, holders: readonly Uint8Array[]): Map<string, string> {
  const held = holders.map(nodesIn)
  return new Map(
    Array.from(nodesIn(bytes), ([id, text]) => {
      const { list, form, node } = withoutList(text)
      if (list === undefined) return [id, text]
      const holder = held.map((nodes) => nodes.get(id)).find((each) => each && withoutList(each).form === form)
      return [id, holder === undefined ? JSON.stringify(node) : text]
    }),
  )
}

/** A node without its list; `form` leaves out the number of a ttl, which runs. */
function withoutList(text: string): Readonly<{ list: unknown; form: string; node: object }> {
  const { 'pact:compacted': list, ...node } = JSON.parse(text) as Readonly<Record<string, unknown>>
  return { list, form: JSON.stringify({ ...node, ttl: node['ttl'] === null }), node }
}

function differing(a: Uint8Array, b: Uint8Array): { added: string[]; removed: string[] } {
  const [before, after] = [nodesIn(a), nodesIn(b)]
  return {
    added: [...after.keys()].filter((id) => !before.has(id)).sort(),
    removed: [...before.keys()].filter((id) => !after.has(id)).sort(),
  }
}

describe.each(DIALECTS)('the lens of an attempt, in %s', (dialect) => {
  test('shows the tree of its handle, and is compared by what differs, after any edits, commits and forks', () => {
    let [shown, compared] = [0, 0]
    fc.assert(
      fc.property(editedPrograms(dialect), fc.constantFrom<Lens>('preview', 'working'), (program, lens) => {
        const { unmet: _unmet, ...prune } = program.prune ?? {}
        const made = new Map<Context, Attempt[]>()
        const send = ({ ctx }: Readonly<{ ctx: Context }>): void => {
          const attempt = ctx.startAttempt({ ...CALL, lens, for: toOpenAIChat })
          made.set(ctx, [...(made.get(ctx) ?? []), attempt])
        }
        playEdited(program, { after: send }, { prune })
        for (const [ctx, attempts] of made) {
          for (const [i, attempt] of attempts.entries()) {
            const { snapshot } = attempt
            expect(textOf(ctx.threadBytes(lensOf(attempt)))).toBe(textOf(snapshot.threadBytes()))
            const { base_cycle: base, cycle_id: own } = attempt.record
            const cycles = [base ?? ctx.cycle, own].filter((cycle) => cycle < ctx.cycle)
            const holders = cycles.map((cycle) => ctx.export(`@c${cycle}`))
            expect(nodesIn(ctx.export(lensOf(attempt)))).toEqual(asSent(snapshot.export(), holders))
            shown++
            const other = attempts[i - 1]
            if (other === undefined) continue
            for (const [a, b] of [
              [other, attempt],
              [attempt, other],
            ] as const) {
              const diff = ctx.diff(lensOf(a), lensOf(b))
              const { added, removed } = differing(a.snapshot.export(), b.snapshot.export())
              expect([diff.added.toSorted(), diff.removed.toSorted()]).toEqual([added, removed])
              const detailed = ctx.diffDetailed(lensOf(a), lensOf(b))
              expect(detailed.removed.map(({ id }) => id).toSorted()).toEqual(removed)
              compared++
            }
          }
          const newest = ctx.cycle - 1
          const last = attempts.at(-1)!
          if (newest < 1) continue
          for (const [a, b] of [
            [lensOf(last), `@c${newest}`],
            [`@c${newest}`, lensOf(last)],
          ] as const) {
            const { added, removed } = differing(ctx.export(a), ctx.export(b))
            const diff = ctx.diff(a, b)
            expect([diff.added.toSorted(), diff.removed.toSorted()]).toEqual([added, removed])
          }
        }
      }),
      editedRuns(4),
    )
    expect(shown).toBeGreaterThan(50)
    expect(compared).toBeGreaterThan(50)
  })
})

describe('what was sent', () => {
  test('of a snapshot is that snapshot', () => {
    const ctx = createContext()
    ctx.user('one')
    ctx.commit()
    const attempt = ctx.startAttempt({ ...CALL, lens: '@t0' })
    ctx.user('two')
    ctx.commit()
    expect(ctx.export(lensOf(attempt))).toEqual(ctx.export('@c1'))
    expect(ctx.diff(lensOf(attempt), '@t0').added).toEqual(ctx.diff('@c1', '@t0').added)
  })

  test('stop, edit, send again: what was taken back left by an edit, what came is new, and the reply came after', () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    ctx.user('Hi')
    ctx.commit()
    ctx.user('Write about the sea.', { key: 'topic' })
    const first = ctx.startAttempt({ ...CALL, for: toOpenAIChat })
    first.cancel()
    ctx.undo()
    const again = ctx.user('Write about Rome.')
    const second = ctx.startAttempt({ ...CALL, for: toOpenAIChat })
    second.complete()
    const reply = ctx.assistant('Roma …')
    ctx.commit()
    const [a, b] = [lensOf(first), lensOf(second)]
    const sea = ctx.thread(a).at(-1)!
    expect(sea.content).toBe('Write about the sea.')
    const diff = ctx.diffDetailed(a, b)
    const told = (list: typeof diff.added): unknown[] =>
      list.filter((each) => !each.is_container).map(({ id, cause }) => [id, cause])
    expect([told(diff.added), told(diff.removed)]).toEqual([[[again.id, 'created']], [[sea.id, 'edited']]])
    expect(told(ctx.diffDetailed(b, '@c2').added)).toEqual([[reply.id, 'created']])
    expect(ctx.prefix(a, b).first?.cause).toMatch(/is not there any more|deleted|came in cycle 2/)
    expect(ctx.prefix(b, '@c2').first).toBeUndefined()
    expect(ctx.snapshot(a).select("[content~'sea']")).toEqual([sea.id])
    expect(ctx.explain(again.id, b).created).toEqual(ctx.explain(again.id, '@c2').created)
    expect(ctx.tokens(a, { for: toOpenAIChat }).total).toBe(first.tokens().total)
  })

  test('says why it cannot be shown', () => {
    const ctx = createContext()
    ctx.user('one')
    const bare = ctx.startAttempt(CALL)
    expect(refusal(() => ctx.thread(lensOf(bare)))).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'no-adapter' },
    })
    expect(refusal(() => ctx.thread('attempt:9-9'))).toMatchObject({ code: 'E_NODE_NOT_FOUND' })
    expect(refusal(() => ctx.startAttempt({ ...CALL, lens: lensOf(bare) }))).toMatchObject({
      code: 'E_CONTENT_INVALID',
    })
    expect(refusal(() => ctx.fork(lensOf(bare)))).toMatchObject({ code: 'E_SELECTOR_INVALID' })
  })

  test('is there after a restart, and where its base has to be loaded first', async () => {
    const store = await openStore('memory:')
    const ctx = await store.open('a')
    const sent: [Lens, string][] = []
    for (let cycle = 1; cycle <= 30; cycle++) {
      ctx.user(`Question ${cycle}`, { ttl: 4 })
      const attempt = ctx.startAttempt({ ...CALL, for: toOpenAIChat })
      attempt.complete()
      sent.push([lensOf(attempt), textOf(attempt.snapshot.threadBytes())])
      ctx.assistant(`Answer ${cycle}`)
      await ctx.commit()
    }
    await ctx.flush()
    const again = await store.openAt('a', 30, { history: 3 })
    expect(refusal(() => again!.thread(sent[4]![0]))).toMatchObject({ code: 'E_HISTORY_NOT_LOADED' })
    await again!.loadHistory('@*')
    for (const [lens, text] of sent) expect(textOf(again!.threadBytes(lens))).toBe(text)
    await store.close()
  })
})
