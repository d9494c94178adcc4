// The cost of pages, counted and not timed: reading follows what is asked for, and writing what is new. And what is shared.

import { createContext, PactError, type Context } from 'pact-context'
import { beforeAll, describe, expect, it } from 'vitest'

import { decodeInnerPage, decodeManifest, encodeInnerPage, encodeManifest, pageKey } from '../../src/codec/index.js'
import { Context as ContextClass } from '../../src/context/index.js'
import { manifestOf, restoreFromManifest } from '../../src/context/persistence.js'
import type { Manifest, NodeRecord, PageLink } from '../../src/core/index.js'
import { PageBook, pageLevels, timelineFromPages, type Sequence, type Timeline } from '../../src/timeline/index.js'
import { Pages } from '../support/pages.js'

const LEAVES = 1000
const TURNS = LEAVES * 32 - 8

function turn(ctx: Context, i: number): void {
  ctx.user(`question ${i}`)
  ctx.assistant(`answer ${i}`)
  ctx.commit()
}

function manifestIn(ctx: Context, book: PageBook): Manifest {
  const parts = ContextClass.partsOf(ctx)
  return decodeManifest(encodeManifest(manifestOf(parts, parts.timeline.newest, book)))
}

function timelineOf(ctx: Context): Timeline {
  return ContextClass.partsOf(ctx).timeline
}

function leavesAt(timeline: Timeline, cycle = timeline.newest!): readonly Sequence[] {
  return [...timeline.treeAt(cycle)!.regions[1].children.leaves()]
}

describe('a tree of a thousand leaves', () => {
  const [pages, book] = [new Pages(), new PageBook()]
  let ctx: Context
  let manifest: Manifest
  let leaves: ReadonlySet<string>

  beforeAll(() => {
    let now = 0n
    ctx = createContext({ clock: () => (now += 1_000n) })
    for (let i = 1; i <= TURNS; i++) turn(ctx, i)
    manifest = manifestIn(ctx, book)
    expect(pages.take(book)).toBe(LEAVES + 32 + 1)
    leaves = new Set([...pageLevels(manifest.snapshot!, pages.page)].at(-1)!.keys)
    expect(leaves.size).toBe(LEAVES)
  }, 120_000)

  function open(): Context {
    return restoreFromManifest(manifest, pages.page, new PageBook(), [])
  }

  /** The number of leaves that were read meanwhile. */
  function leavesRead(act: () => void): number {
    pages.asked.length = 0
    act()
    return pages.asked.filter((key) => leaves.has(key)).length
  }

  it('is opened, and its newest turns are asked for, with a handful of leaves', () => {
    let again: Context | undefined
    expect(leavesRead(() => (again = open()))).toBeLessThanOrEqual(1)
    // And of the inner pages those above it.
    expect(pages.asked.length).toBeLessThanOrEqual(3)
    const read = leavesRead(() => {
      expect(again!.select(".seg:depth(1) .block[role='user']")).toEqual(
        ctx.select(".seg:depth(1) .block[role='user']"),
      )
      expect(again!.snapshot('@t0').cycle).toBe(TURNS)
      for (const depth of [2, 3, 4]) {
        const selector = `@t0 .seg:depth(${depth}) .block`
        expect(again!.select(selector)).toEqual(ctx.select(selector))
      }
    })
    expect(read).toBeLessThanOrEqual(1)
  })

  it('takes commits with the last leaf alone', () => {
    const again = open()
    const read = leavesRead(() => {
      for (let i = 1; i <= 100; i++) turn(again, i)
    })
    expect(read).toBeLessThanOrEqual(1)
    expect(pages.asked.length).toBe(read)
    expect(again.snapshot('@t0').cycle).toBe(TURNS + 100)
  })

  it('lets go of its past without reading it', () => {
    const again = restoreFromManifest(manifest, pages.page, new PageBook(), [], { history: 3 })
    turn(again, 1)
    const read = leavesRead(() => {
      for (let i = 1; i <= 40; i++) {
        again.user('short', { ttl: 1 })
        turn(again, i)
      }
    })
    expect(read).toBe(0)
    expect(pages.asked).toHaveLength(0)
    expect(again.snapshots()).toHaveLength(3)
  })

  it('finds an old node in one leaf, and nothing in none', () => {
    const timeline = timelineOf(open())
    const at = timeline.newest!
    expect(leavesRead(() => timeline.find('block:9000-1', at))).toBe(1)
    expect(pages.asked).toHaveLength(2)
    expect(leavesRead(() => expect(timeline.find('block:9000-1', at)?.content).toBe('question 9000'))).toBe(0)
    // The segment and the core came with it.
    expect(leavesRead(() => expect(timeline.find('block:9001-1', at)?.content).toBe('question 9001'))).toBe(0)
    const nothing = leavesRead(() => {
      for (const id of ['block:9000-77', 'block:99999999-1', 'nobody', 'f1:block:7-1', '']) {
        expect(timeline.find(id, at)).toBeUndefined()
        expect([...timeline.standInsOf(id), ...timeline.referrersOf(id), ...timeline.carriersOf(id)]).toEqual([])
      }
    })
    expect(nothing).toBe(0)
  })

  it('is edited in the middle with the leaves that are touched', () => {
    const again = open()
    const read = leavesRead(() => {
      again.update('*[id="block:12345-1"]', { priority: 3 })
      again.commit()
    })
    expect(read).toBeLessThanOrEqual(3)
    expect(again.select('@t0 *[id="block:12345-1"][priority=3]')).toHaveLength(1)
  })

  it('is written again at the price of what is new', () => {
    expect(manifestIn(ctx, book)).toEqual(manifest)
    expect(book.fresh.size).toBe(0)
    for (let i = 1; i <= 256; i++) turn(ctx, i)
    manifestIn(ctx, book)
    // 256 turns are nine leaves, with the one that was begun; above them two levels, of which a new one may begin.
    expect(pages.take(book)).toBeLessThanOrEqual(9 + 4)
  })

  it('is written again, after it was read, without reading it', () => {
    const own = new PageBook()
    const again = restoreFromManifest(manifest, pages.page, own, []) as Context
    turn(again, 1)
    const read = leavesRead(() => void manifestIn(again, own))
    expect(read).toBe(0)
    expect(own.fresh.size).toBeLessThanOrEqual(3)
  })
})

/** A few leaves under one inner chunk, with what names other nodes. */
function small(turns = 100): Context {
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1_000n) })
  ctx.system.add('be kind')
  for (let i = 1; i <= turns; i++) {
    ctx.user(`question ${i}`, i > 1 ? { refs: [`block:${i - 1}-1`], data_call_id: `call-${i % 7}` } : {})
    ctx.commit()
  }
  return ctx
}

it('finds ids that all name one cycle, and such as name none, in one leaf each', () => {
  for (const prefix of ['n:7-', 'n']) {
    let [now, given] = [0n, 0]
    const ctx = createContext({ clock: () => (now += 1_000n), ids: () => `${prefix}${given++}` })
    for (let i = 1; i <= 320; i++) turn(ctx, i)
    const [pages, book] = [new Pages(), new PageBook()]
    const manifest = manifestIn(ctx, book)
    pages.take(book)
    const [live, timeline] = [
      timelineOf(ctx),
      timelineFromPages(manifest.snapshot!, pages.page, new PageBook(), undefined),
    ]
    pages.asked.length = 0
    for (const id of [`${prefix}5`, `${prefix}700`, `${prefix}99999`]) {
      expect(timeline.find(id, 320)).toEqual(live.find(id, 320))
    }
    expect(pages.asked).toHaveLength(2)
  }
})

it('knows what is gone of what it began with, after its past was let go', () => {
  const [pages, book] = [new Pages(), new PageBook()]
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1_000n) })
  for (let i = 1; i <= 200; i++) turn(ctx, i)
  const manifest = manifestIn(ctx, book)
  pages.take(book)
  const options = { history: 2, prune: { maxNodes: 60 } }
  const again = restoreFromManifest(manifest, pages.page, new PageBook(), [], options)
  for (let i = 1; i <= 30; i++) turn(again, i)
  const timeline = timelineOf(again)
  const kept = new Set(again.select('@t0 *'))
  expect(kept.size).toBeLessThanOrEqual(64)
  for (let cycle = 1; cycle <= 230; cycle++) {
    for (const id of [`block:${cycle}-1`, `block:${cycle}-2`, `seg:${cycle}-3`]) {
      expect([id, timeline.find(id, timeline.newest!) !== undefined]).toEqual([id, kept.has(id)])
    }
  }
})

describe('sharing', () => {
  it('snapshots that are read through one book have their chunks in common, and with the tree that wrote them', () => {
    const [pages, book, other] = [new Pages(), new PageBook(), new PageBook()]
    const ctx = small(70)
    const first = manifestIn(ctx, book)
    for (let i = 0; i < 40; i++) turn(ctx, i)
    const second = manifestIn(ctx, book)
    pages.take(book)
    const live = leavesAt(timelineOf(ctx))
    const read = [first, second].map(({ snapshot }) =>
      leavesAt(timelineFromPages(snapshot!, pages.page, book, undefined)),
    )
    expect(read[1]!.every((leaf, i) => leaf === live[i])).toBe(true)
    expect(read[0]!.slice(0, -1).every((leaf, i) => leaf === live[i])).toBe(true)
    const [a, b, c] = [first, second, second].map(({ snapshot }) => {
      return leavesAt(timelineFromPages(snapshot!, pages.page, other, undefined))
    }) as [readonly Sequence[], readonly Sequence[], readonly Sequence[]]
    expect(a[0] === b[0] && a[0] !== live[0] && b.every((leaf, i) => leaf === c[i])).toBe(true)
    const { items } = a[0]!
    const { length } = pages.asked
    expect(b[0]!.items).toBe(items)
    expect(pages.asked).toHaveLength(length)
  })

  it('an older snapshot beside a live tree that nobody has read: each page of a leaf is read once', () => {
    const [pages, book, own] = [new Pages(), new PageBook(), new PageBook()]
    const ctx = small(300)
    const first = manifestIn(ctx, book)
    for (let i = 0; i < 32 * 32; i++) turn(ctx, i)
    const second = manifestIn(ctx, book)
    pages.take(book)
    const live = timelineOf(restoreFromManifest(second, pages.page, own, []))
    const present = {
      known: (record: NodeRecord) => live.known(record.id, record.born) ?? record,
      openWayTo: (id: string) => live.openWayTo(id),
    }
    pages.asked.length = 0
    const older = timelineFromPages(first.snapshot!, pages.page, own, Infinity, true, present)
    const read = leavesAt(older).flatMap(({ items }) => items!)
    expect(read).toHaveLength(300)
    const [asked, leaves] = [pages.asked, [...pageLevels(first.snapshot!, pages.page)].at(-1)!.keys]
    expect(leaves.map((key) => asked.filter((each) => each === key).length)).toEqual(leaves.map(() => 1))
    expect(leavesAt(live)[0]).toBe(leavesAt(older)[0])
  })

  it('a book knows chunks weakly, and forgets pages that are taken', () => {
    const book = new PageBook()
    manifestIn(small(70), book)
    const keys = [...book.fresh.keys()]
    book.taken(keys.slice(1))
    expect([...book.fresh.keys()]).toEqual(keys.slice(0, 1))
    book.taken()
    expect(book.fresh.size).toBe(0)
  })

  it('forget takes texts out of what is read, and leaves the other pages as they are', () => {
    const [pages, book] = [new Pages(), new PageBook()]
    const ctx = small(100)
    const manifest = manifestIn(ctx, book)
    pages.take(book)
    const own = new PageBook()
    const again = restoreFromManifest(manifest, pages.page, own, []) as Context
    pages.asked.length = 0
    again.forget('*[id="block:50-1"]', { author: 'a', reason: 'r' })
    ctx.forget('*[id="block:50-1"]', { author: 'a', reason: 'r' })
    expect(new TextDecoder().decode(again.export('@t0'))).toBe(new TextDecoder().decode(ctx.export('@t0')))
    manifestIn(again, own)
    // Its leaf and the pages above that.
    expect(own.fresh.size).toBe(2)
    for (const bytes of own.fresh.values()) expect(new TextDecoder().decode(bytes)).not.toContain('question 50"')
    const timeline = timelineOf(again)
    expect(timeline.find('block:50-1', timeline.newest!)?.content).toBe('')
    expect([...timeline.referrersOf('block:50-1')]).toEqual(['block:51-1'])
  })
})

describe('damage', () => {
  const [pages, book] = [new Pages(), new PageBook()]
  const manifest = manifestIn(small(), book)
  pages.take(book)

  /** Everything that there is to read. */
  function readAll(changed: ReadonlyMap<string, Uint8Array>, from: Manifest = manifest): Uint8Array {
    const page = (key: string): Uint8Array => changed.get(key) ?? pages.page(key)
    return restoreFromManifest(from, page, new PageBook(), []).export('@t0')
  }

  function faultOf(act: () => unknown): PactError {
    try {
      act()
    } catch (error) {
      return error as PactError
    }
    throw new Error('Nothing was found.')
  }

  it('is found wherever a byte of a page is another one', () => {
    const good = readAll(new Map())
    for (const [key, bytes] of pages.bytes) {
      for (let at = 0; at < bytes.length; at += 1 + Math.floor(bytes.length / 40)) {
        const flipped = bytes.slice()
        flipped[at]! ^= 1 << (at % 8)
        const error = faultOf(() => readAll(new Map([[key, flipped]])))
        expect([error.code, error.details['page']]).toEqual(['E_STORE', key])
      }
      expect(faultOf(() => readAll(new Map([[key, bytes.slice(1)]]))).message).toBe(
        `The page ${key} is damaged: its bytes are not those that were written; fsck with repair makes it again from what was written.`,
      )
    }
    expect(readAll(new Map())).toEqual(good)
  })

  it('says what the store says where a page is missing', () => {
    const fails = (): never => {
      throw new PactError('E_STORE', 'There is no such page.')
    }
    expect(() => restoreFromManifest(manifest, fails, new PageBook(), [])).toThrow('There is no such page.')
  })

  /** The manifest over a top page with another link, whose bytes have their key. */
  function withLink(change: (link: PageLink) => PageLink): () => Uint8Array {
    const { seq } = manifest.snapshot!
    const links = decodeInnerPage(pages.bytes.get(seq!.key)!)
    const bytes = encodeInnerPage(links.with(1, change(links[1]!)))
    const key = pageKey(bytes)
    const from = { ...manifest, snapshot: { ...manifest.snapshot!, seq: { ...seq!, key } } }
    return () => readAll(new Map([[key, bytes]]), from)
  }

  it.each<[string, (link: PageLink) => PageLink]>([
    ['a sum', (link) => ({ ...link, sums: { ...link.sums, count: link.sums.count + 1 } })],
    ['what is due', (link) => ({ ...link, sums: { ...link.sums, due: 3 } })],
    ['who is pruned first', (link) => ({ ...link, sums: { ...link.sums, firstInside: undefined } })],
    ['the first place', (link) => ({ ...link, first: { ...link.first, offset: link.first.offset + 1 } })],
    ['the cycles', (link) => ({ ...link, named: [link.named[0], link.named[1] + 1] })],
    ['how many names there are', (link) => ({ ...link, ties: { ...link.ties, calls: 0 } })],
    ['a name', (link) => ({ ...link, names: { ...link.names!, refs: '' } })],
    ['the level', (link) => ({ ...link, height: 1, names: undefined })],
    ['the page', (link) => ({ ...link, key: manifest.snapshot!.seq!.key })],
  ])('is found where a link tells %s otherwise', (_name, change) => {
    const error = faultOf(withLink(change))
    expect(error.code).toBe('E_STORE')
  })

  it.each<[string, (manifest: NonNullable<Manifest['snapshot']>) => Manifest['snapshot']]>([
    ['a node in ^seq', (snapshot) => ({ ...snapshot, nodes: [...snapshot.nodes, { ...snapshot.nodes[0]! } as never] })],
    ['an id in the log that is not new', (snapshot) => ({ ...snapshot, log: [...snapshot.log!, 'block:1-1'] })],
    ['an id twice in the log', (snapshot) => ({ ...snapshot, log: [...snapshot.log!, snapshot.log![0]!] })],
    ['no log where nodes are older', (snapshot) => ({ ...snapshot, log: undefined })],
    ['no regions', (snapshot) => ({ ...snapshot, nodes: snapshot.nodes.slice(0, 1) })],
  ])('is found in a manifest with %s', (_name, change) => {
    const error = faultOf(() => readAll(new Map(), { ...manifest, snapshot: change(manifest.snapshot!) }))
    expect(error.code).toBe('E_SNAPSHOT_INVALID')
  })
})
