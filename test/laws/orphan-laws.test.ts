// The law of half pairs: over random conversations with tool calls, edits, ttls and budgets, a commit warns of exactly the
// calls and results that a look through the whole snapshot finds alone, each the first time it is so.
// PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, PactError, type Context, type Node, type Warning } from 'pact-context'
import { expect, test } from 'vitest'

import { walk } from '../support/context.js'
import { runs } from '../support/runs.js'

const RUNS = runs(120)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

type Step = Readonly<{
  do: 'call' | 'result' | 'say' | 'replace' | 'delete' | 'move' | 'splice' | 'expire' | 'commit' | 'turn' | 'fork'
  callId: number
  tie: 'id' | 'ids' | 'refs' | 'both' | 'role'
  ttl: number | null
  pick: number
}>

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom<Step['do'][]>(
    ...(['call', 'call', 'call', 'result', 'result', 'result', 'commit', 'turn', 'turn', 'say'] as const),
    ...(['replace', 'delete', 'move', 'splice', 'expire', 'fork'] as const),
  ),
  callId: fc.nat(11),
  tie: fc.constantFrom<Step['tie'][]>('id', 'id', 'ids', 'refs', 'both', 'role'),
  ttl: fc.constantFrom(null, null, null, 1, 2, 3),
  pick: fc.nat(99),
})

const program = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
  maxNodes: fc.constantFrom(undefined, undefined, 25),
})

test('a commit warns of every orphan when it becomes one, and of nothing else', () => {
  const counts = new Map<string, number>()
  fc.assert(
    fc.property(program, ({ steps, maxNodes }) => {
      const told: Warning[] = []
      const onWarning = (warning: Warning): void => void told.push(warning)
      let ctx = createContext(maxNodes === undefined ? { onWarning } : { onWarning, prune: { maxNodes } })
      let model = new Model()
      for (const each of steps) {
        if (each.do === 'fork' && ctx.snapshots().length > 0) {
          ctx = ctx.fork()
          model = model.forked()
          continue
        }
        if (each.do === 'turn') ctx.user('next')
        else if (each.do !== 'commit') attempt(() => act(ctx, each))
        if (each.do !== 'turn' && each.do !== 'commit') continue
        told.length = 0
        ctx.commit()
        const { all, fresh } = model.orphansOf(ctx)
        const orphans = told.filter(isAboutOrphans)
        // A fork may repeat the warnings of its parent, where it meets the same fault again.
        const subjects = orphans.map(subjectOf)
        expect(subjects.filter((each) => !all.has(each))).toEqual([])
        expect(fresh.filter((each) => !subjects.includes(each))).toEqual([])
        const ever = ctx.warnings.filter(isAboutOrphans).map(subjectOf)
        expect(new Set(ever).size).toBe(ever.length)
        for (const { details } of orphans) {
          counts.set(String(details['kind']), (counts.get(String(details['kind'])) ?? 0) + 1)
          for (const id of details['ids'] as string[]) expect(ctx.node(id, '@t0')).toBeDefined()
        }
      }
    }),
    { numRuns: RUNS, seed: SEED },
  )
  if (RUNS >= 100) for (const kind of ['orphan-call', 'orphan-result']) expect(counts.get(kind)).toBeGreaterThan(50)
})

function subjectOf({ details: { kind, callId, ids } }: Warning): string {
  return `${String(kind)} ${typeof callId === 'string' ? callId : `node ${(ids as string[])[0]}`}`
}

function attempt(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!PactError.is(error)) throw error
  }
}

function act(ctx: Context, { do: what, callId, tie, ttl, pick }: Step): void {
  const blocks = ctx.nodes('.block')
  const calls = blocks.filter(({ kind }) => kind === 'call')
  const some = blocks[pick % (blocks.length || 1)]
  const name = `c${callId}`
  const header = {
    ...(tie === 'refs' ? {} : { data_call_id: tie === 'ids' ? [name, `d${callId}`] : name }),
    ...(what === 'result' && (tie === 'refs' || tie === 'both') && calls.length > 0
      ? { refs: [calls[pick % calls.length]!.id] }
      : {}),
    ttl,
  }
  if (what === 'call') ctx.assistant('call', { kind: 'call', ...header })
  else if (what === 'result') ctx.tool('result', tie === 'role' ? header : { kind: 'result', ...header })
  else if (what === 'say') ctx.assistant('hm', { ttl })
  if (some === undefined) return
  const selector = `[id='${some.id}']`
  if (what === 'replace') ctx.replace(selector, { content: 'other' })
  else if (what === 'delete') ctx.delete(selector)
  else if (what === 'move') ctx.move(selector, { depth: 0, zone: 'post' })
  else if (what === 'splice')
    ctx.insert({ content: 'call', kind: 'call', role: 'assistant', ...header }, { depth: 1 + (pick % 3) })
  else if (what === 'expire') ctx.update(selector, { ttl: 0 })
}

/** The input of a naive look at snapshots: the nodes in them, the replacements, and the warnings. */
class Model {
  readonly #nodes = new Map<string, Node>()
  readonly #takenBy = new Map<string, string>()
  #before: readonly Node[] = []
  readonly #told = new Set<string>()

  forked(): Model {
    const model = new Model()
    for (const [id, node] of this.#nodes) model.#nodes.set(id, node)
    for (const [id, by] of this.#takenBy) model.#takenBy.set(id, by)
    model.#before = this.#before
    for (const subject of this.#told) model.#told.add(subject)
    return model
  }

  /** The orphans there are, and those without a warning yet. */
  orphansOf(ctx: Context): Readonly<{ all: ReadonlySet<string>; fresh: readonly string[] }> {
    const nodes = walk(ctx.snapshot().root)
    for (const node of nodes) {
      this.#nodes.set(node.id, node)
      if (node.supersedes !== undefined) this.#takenBy.set(node.supersedes, node.id)
    }
    const all = new Set(this.#orphans(ctx, nodes))
    const fresh = [...all].filter((subject) => !this.#told.has(subject))
    for (const subject of fresh) this.#told.add(subject)
    this.#before = nodes
    return { all, fresh }
  }

  #orphans(ctx: Context, nodes: readonly Node[]): string[] {
    const live = new Map(nodes.map((node) => [node.id, node]))
    const results = nodes.filter(isResult)
    const lost = this.#before.filter((node) => !live.has(node.id))
    const namedBy = (list: readonly Node[], call: Node): readonly Node[] =>
      list.filter(({ kind, refs }) => kind === 'result' && refs.some((id) => this.#meant(id, live) === call))
    const orphans: string[] = []
    for (const callId of new Set(nodes.flatMap(callIdsOf))) {
      const carriers = nodes.filter((node) => callIdsOf(node).includes(callId))
      const firstCall = carriers.findIndex(({ kind }) => kind === 'call')
      const leading = carriers.slice(0, firstCall < 0 ? carriers.length : firstCall).filter(isResult)
      const isAlone = ({ refs }: Node): boolean => !refs.some((id) => this.#meant(id, live)?.kind === 'call')
      if (leading.some(isAlone)) orphans.push(`orphan-result ${callId}`)
      for (const [i, call] of carriers.entries()) {
        if (call.kind !== 'call') continue
        const rest = carriers.slice(i + 1)
        const next = rest.findIndex(({ kind }) => kind === 'call')
        if (rest.slice(0, next < 0 ? rest.length : next).some(isResult) || namedBy(results, call).length > 0) continue
        const depth = depthOf(ctx, call)
        const had = lost.some(
          (node) =>
            isResult(node) &&
            node.createdAtNs > call.createdAtNs &&
            (callIdsOf(node).includes(callId) || namedBy([node], call).length > 0),
        )
        if (had || (depth !== 0 && depth !== 1)) orphans.push(`orphan-call ${callId}`)
      }
    }
    for (const node of nodes) {
      if (callIdsOf(node).length > 0) continue
      if (node.kind === 'call' && namedBy(lost, node).length > 0 && namedBy(results, node).length === 0)
        orphans.push(`orphan-call node ${node.id}`)
      const meant = node.refs.map((id) => this.#meant(id, live))
      const wasCall = node.refs.some((id) => !live.has(id) && this.#nodes.get(id)?.kind === 'call')
      if (node.kind === 'result' && wasCall && !meant.some((each) => each?.kind === 'call'))
        orphans.push(`orphan-result node ${node.id}`)
    }
    return orphans
  }

  #meant(id: string, live: ReadonlyMap<string, Node>): Node | undefined {
    const next = this.#takenBy.get(id)
    return live.get(id) ?? (next === undefined ? undefined : this.#meant(next, live))
  }
}

function callIdsOf({ attributes }: Node): readonly string[] {
  const value = attributes['data_call_id']
  return typeof value === 'string' ? [value] : ((value ?? []) as string[])
}

function isResult(node: Node): boolean {
  if (node.kind !== undefined || (node.nodeType === 'block:redaction' && node.content === ''))
    return node.kind === 'result'
  return node.role === 'tool' && callIdsOf(node).length > 0
}

function depthOf(ctx: Context, { id }: Node): number | undefined {
  return ctx.explain(id, '@t0').place!.depth
}

function isAboutOrphans({ details }: Warning): boolean {
  return String(details['kind']).startsWith('orphan-')
}
