// Damage to what a store has written: it is found and reported with its place, or it is another good value; nothing else
// happens. What is read is what was written is the law of records (test/stores/records-laws.test.ts).

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { textOf } from '../../test/support/context.js'
import { createContext, PactError, type Context } from '../index.js'
import { checkpointOf, prepareCommit, restoreContext } from '../context/persistence.js'
import { Context as ContextClass } from '../context/index.js'
import { canonicalJson, decodeCheckpoint, decodeCommitRecord, encodeCheckpoint, encodeCommitRecord } from './index.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 20261116) }

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Two commits with most of what there is to write, and what came before and after them. */
function written(): Readonly<{ first: Uint8Array; records: readonly Uint8Array[]; last: Uint8Array }> {
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1_000_000_007n), prune: { maxNodes: 18 } })
  const first = checkpointBytes(ctx)
  ctx.system.add('rule')
  ctx.user({ deep: [1, 2.5, { a: null }] }, { tags: ['t'], data_x: [true], provenance: 'p', priority: 2 })
  ctx.post('tip', { key: 'k', cad: 1, ttl: 1 })
  ctx.post('news', { key: 'n', cad: 1, ttl: 1, offset: 4 })
  ctx.add(undefined, { zone: 'pre', removable: true, children: [{ content: 'inside', ttl: 1 }] })
  const records = [commit(ctx)]
  ctx.replace("*[content~'deep']?", { content: 'flat' })
  for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) ctx.user(text, { ttl: null })
  records.push(commit(ctx))
  return { first, records, last: checkpointBytes(ctx) }
}

function commit(ctx: Context): Uint8Array {
  const pending = prepareCommit(ContextClass.partsOf(ctx))
  const bytes = encodeCommitRecord(pending.record())
  pending.publish()
  return bytes
}

function checkpointBytes(ctx: Context): Uint8Array {
  return encodeCheckpoint(checkpointOf(ContextClass.partsOf(ctx)))
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const { first, records, last } = written()

describe('what stands apart from a record', () => {
  const ctx = createContext({ clock: () => 5n })
  ctx.user('hello', { data_b: 2, data_a: [1], 'x:y': 'z', provenance: { by: 'me' }, tags: ['t'], key: 'k' })
  ctx.assistant('call', { kind: 'call', data_call_id: 'c1' })
  ctx.tool('result', { kind: 'result', data_call_id: 'c1', data_b: true, priority: 1 })
  ctx.post('alone', { data_only: null, data_z: 'z' })
  ctx.user('plain')
  const pending = prepareCommit(ContextClass.partsOf(ctx))
  const bodies: string[] = []
  const record = textOf(
    encodeCommitRecord(pending.record(), { add: (text) => bodies.push(text), before: () => undefined }),
  )
  pending.discard()

  it('is canonical JSON, too: content, provenance and attributes but for the id of a call', () => {
    expect(bodies.toSorted()).toEqual([
      '{"attributes":{"data_a":[1],"data_b":2,"x:y":"z"},"content":"hello","provenance":{"by":"me"}}',
      '{"attributes":{"data_b":true},"content":"result"}',
      '{"attributes":{"data_only":null,"data_z":"z"},"content":"alone"}',
      '{"content":"call"}',
      '{"content":"plain"}',
    ])
  })

  it('leaves the rest of the headers in the record, and nothing where there is no rest', () => {
    expect(canonicalJson(JSON.parse(record))).toBe(record)
    const { change } = JSON.parse(record) as { change: { versions: [string, ...Json[]][] } }
    const rare = new Map(change.versions.map(([, ...parts]) => [bodies[Number(parts[14]) - 1], parts[13]]))
    expect(bodies.toSorted().map((body) => rare.get(body))).toEqual([
      { key: 'k', tags: ['t'] },
      { attributes: { data_call_id: 'c1' } },
      null,
      { attributes: { data_call_id: 'c1' } },
      null,
    ])
  })
})

describe('a record', () => {
  it('is canonical JSON, and holds no more than it needs', () => {
    for (const bytes of [first, last, ...records]) {
      expect(canonicalJson(JSON.parse(textOf(bytes)))).toBe(textOf(bytes))
    }
    const plain = createContext({ clock: () => 5n })
    plain.user('hello')
    commit(plain)
    plain.user('again')
    const { length } = commit(plain)
    expect(length - 'again'.length).toBeLessThan(420)
  })

  it('tells the target of a limit, where it has one, from the nodes that had to stay', () => {
    const ctx = createContext({ clock: () => 5n, prune: { maxNodes: 3, target: 0.5 } })
    const free = createContext({ clock: () => 5n, prune: { maxNodes: 3 } })
    for (const each of [ctx, free]) {
      each.user('a')
      commit(each)
      each.hold(each.user('b', { refs: ['block:1-1'] }).id)
      const record = decodeCommitRecord(commit(each))
      expect(record.receipt).toEqual(each.snapshot('@t0').receipt)
      expect(record.receipt.limits[0]!.target).toBe(each === ctx ? 1.5 : undefined)
      expect(record.receipt.unmet).toHaveLength(1)
      each.commit()
      expect(decodeCommitRecord(commit(each)).receipt.limits[0]!.kept).toContain('block:1-1')
    }
  })

  const names = ['change', 'opening', 'receipt'] as const
  test.each(names)('says in its own words what is wrong in its %s', (name) => {
    const raw = JSON.parse(textOf(records[1]!)) as Record<string, unknown>
    const { code, details } = refusal(() => decodeCommitRecord(bytesOf(JSON.stringify({ ...raw, [name]: 7 }))))
    expect([code, details]).toEqual(['E_SNAPSHOT_INVALID', { path: name }])
  })

  const rows: readonly (readonly [why: string, path: string, change: (raw: CommitJson) => void])[] = [
    ['a format of another time', 'format', (raw) => (raw.format = 2)],
    ['a name that nobody writes', 'change.extra', (raw) => (raw.change['extra'] = 1)],
    ['an id twice', 'change.versions[1]', (raw) => (versionsOf(raw)[1] = versionsOf(raw)[0]!)],
    ['a class that there is not', 'change.versions[0][2]', (raw) => (versionsOf(raw)[0]![2] = 'leaf')],
    ['a maker that there is not', 'change.versions[0][11]', (raw) => (versionsOf(raw)[0]![11] = 'me')],
    ['half a number', 'change.versions[0][4]', (raw) => (versionsOf(raw)[0]![4] = 0.5)],
    ['a removal without a cause', 'change.versions[0]', (raw) => (versionsOf(raw)[0] = [0, 'x'])],
    ['letters for digits', 'opening.counters[2]', (raw) => ((raw.opening['counters'] as Json[])[2] = '12x')],
  ]
  test.each(rows)('is refused for %s, at %s', (_why, path, change) => {
    const raw = JSON.parse(textOf(records[0]!)) as CommitJson
    change(raw)
    const { code, details } = refusal(() => decodeCommitRecord(bytesOf(JSON.stringify(raw))))
    expect([code, details['path']]).toEqual(['E_SNAPSHOT_INVALID', path])
  })

  it('of a context without a snapshot says how its cycle began', () => {
    const raw = JSON.parse(textOf(first)) as Record<string, unknown>
    delete raw['opening']
    const { code, details } = refusal(() => decodeCheckpoint(bytesOf(JSON.stringify(raw))))
    expect([code, details['path']]).toEqual(['E_SNAPSHOT_INVALID', 'opening'])
  })

  it('that ends too early is refused wherever it ends', () => {
    for (const bytes of [last, ...records]) {
      for (let end = 0; end < bytes.length; end += 7) {
        const read = bytes === last ? decodeCheckpoint : decodeCommitRecord
        expect(refusal(() => read(bytes.slice(0, end))).code).toBe('E_SNAPSHOT_INVALID')
      }
    }
  })

  it('that was damaged anywhere is refused, or makes a context like any other', () => {
    const values = fc.constantFrom<Json>(null, true, -1, 0, 3, 1.5, 2 ** 60, '', 'x', 'sys', 'block:1-1', [], [0], {})
    let refused = 0
    let taken = 0
    fc.assert(
      fc.property(fc.nat(2), fc.nat(), values, (which, place, value) => {
        const texts = [last, ...records].map(textOf)
        const raw = JSON.parse(texts[which]!) as Json
        damage(raw, place, value)
        texts[which] = JSON.stringify(raw)
        try {
          const start = which === 0 ? decodeCheckpoint(bytesOf(texts[0]!)) : decodeCheckpoint(first)
          const made = which === 0 ? [] : texts.slice(1).map((text) => decodeCommitRecord(bytesOf(text)))
          const ctx = restoreContext(start, made)
          ctx.export('working')
          ctx.threadBytes()
          taken++
        } catch (error) {
          if (!PactError.is(error)) throw error
          expect(['E_SNAPSHOT_INVALID'], error.message).toContain(error.code)
          refused++
        }
      }),
      { ...SEED, numRuns: Number(process.env['PACT_RUNS'] ?? 1_500) },
    )
    expect([refused, taken].every((count) => count > 150)).toBe(true)
  })
})

type CommitJson = {
  format: number
  change: Record<string, Json>
  opening: Record<string, Json>
}

function versionsOf(raw: CommitJson): Json[][] {
  return raw.change['versions'] as Json[][]
}

/** Puts a value in some place of a document, or takes something out. */
function damage(raw: Json, place: number, value: Json): void {
  const places: (() => void)[] = []
  const visit = (each: Json): void => {
    if (typeof each !== 'object' || each === null) return
    if (Array.isArray(each)) {
      each.forEach((_, i) => places.push(() => (each[i] = value)))
      places.push(
        () => void each.pop(),
        () => void each.push(value),
      )
      each.forEach(visit)
    } else {
      for (const name of Object.keys(each)) {
        places.push(
          () => (each[name] = value),
          () => delete each[name],
        )
        visit(each[name]!)
      }
    }
  }
  visit(raw)
  places[place % places.length]!()
}

function refusal(call: () => unknown): PactError {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
