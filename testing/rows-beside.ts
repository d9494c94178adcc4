// Promises of a database about attempts and derived data.

import type { ContextKey, Rows } from 'pact-context/store'

import { same, there } from './checks.js'
import type { Promises } from './contract.js'
import { ODD_IDS } from './rows-contexts.js'
import { attemptFor, bytes, forked, grown, heldOf, LAST, made, pageKey } from './sample-rows.js'

export const ATTEMPTS: Promises<Rows> = {
  'attempts are listed in the order in which they were first written': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    same(await rows.attempts(ctx, 10), [], 'none')
    for (const id of ['c', 'a', 'b']) await rows.writeAttempts(ctx, [attemptFor(id)])
    await rows.writeAttempts(ctx, [attemptFor('e'), attemptFor('d')])
    same(await idsOf(rows, ctx), ['c', 'a', 'b', 'e', 'd'], 'their order')
    await rows.writeAttempts(ctx, [])
    same(await idsOf(rows, ctx), ['c', 'a', 'b', 'e', 'd'], 'their order, when none was written')
  },
  'one that is written again keeps its place': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    await rows.writeAttempts(
      ctx,
      ['a', 'b', 'c'].map((id) => attemptFor(id)),
    )
    await rows.writeAttempts(ctx, [attemptFor('b', 'ended'), attemptFor('d'), attemptFor('a', 'ended too')])
    const expected = [attemptFor('a', 'ended too'), attemptFor('b', 'ended'), attemptFor('c'), attemptFor('d')]
    same(await rows.attempts(ctx, 10), expected, 'the attempts')
  },
  'the newest are given, oldest first': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    const all = Array.from({ length: 12 }, (_, i) => attemptFor(`attempt ${i}`))
    await rows.writeAttempts(ctx, all)
    await rows.writeAttempts(ctx, [all[0]!])
    for (const limit of [0, 1, 5, 12, 100]) {
      same(await rows.attempts(ctx, limit), limit === 0 ? [] : all.slice(-limit), `the newest ${limit}`)
    }
  },
  'the same id of another writer is another attempt': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    const all = [
      attemptFor('a b', 'x', 'me'),
      attemptFor('a b', 'y', 'you'),
      attemptFor('b', 'z', 'me a'),
      attemptFor('me a b', 'w', ''),
    ]
    await rows.writeAttempts(ctx, all)
    same(await rows.attempts(ctx, 10), all, 'the attempts')
    const ended = attemptFor('a b', 'ended', 'you')
    await rows.writeAttempts(ctx, [ended])
    same(await rows.attempts(ctx, 10), [all[0], ended, all[2], all[3]], 'the attempts after one has ended')
  },
  'attempts are those of one context, and no part of its chain': async (bench) => {
    const rows = await bench.open()
    const one = await made(rows, 'one')
    const fork = await forked(rows, 'fork', one)
    const two = await made(rows, 'two')
    for (const { ctx, id } of [one, fork, two]) await rows.writeAttempts(ctx, [attemptFor('a', id), attemptFor(id)])
    for (const { ctx, id } of [one, fork, two]) {
      same(await rows.attempts(ctx, 10), [attemptFor('a', id), attemptFor(id)], `the attempts of ${id}`)
    }
    await grown(rows, two, 1)
    same((await rows.find('two'))?.head, 1, 'the head')
  },
  'ids of attempts are kept as they are': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    const all = ODD_IDS.map((id) => attemptFor(id, 'body', id))
    await rows.writeAttempts(ctx, all)
    same(await rows.attempts(ctx, 100), all, 'the attempts')
  },
}

export const DERIVED: Promises<Rows> = {
  'a manifest is found by its cycle, or a later one': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    const other = await made(rows, 'other')
    for (const cycle of [8, 3, 0, 5]) await rows.writeManifest(ctx, { cycle, body: bytes(`manifest ${cycle}`) }, [])
    await rows.writeManifest(other.ctx, { cycle: 4, body: bytes('other') }, [])
    same(await rows.manifests(ctx), [0, 3, 5, 8], 'the cycles of all')
    for (const [cycle, expected] of [
      [0, 0],
      [2, 0],
      [3, 3],
      [4, 3],
      [7, 5],
      [8, 8],
      [LAST, 8],
    ] as const) {
      same((await rows.manifest(ctx, cycle))?.cycle, expected, `the newest at or before ${cycle}`)
    }
    same((await rows.manifest(ctx, 6))?.body, bytes('manifest 5'), 'what it says')
    same(await rows.manifest(other.ctx, 3), undefined, 'the newest of another at or before 3')
  },
  'a manifest is written over the one of its cycle': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one')
    for (const text of ['first', 'second']) await rows.writeManifest(ctx, { cycle: 1, body: bytes(text) }, [])
    same(await rows.manifest(ctx, 1), { cycle: 1, body: bytes('second') }, 'the manifest')
    same(await rows.manifests(ctx), [1], 'the cycles of all')
  },
  'pages are those of a family': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    const other = await made(rows, 'other')
    const [a, b, c, none] = ['a', 'b', 'c', 'none'].map(pageKey)
    await rows.writeManifest(root.ctx, { cycle: 0, body: bytes('m') }, [page(a!), page(b!)])
    await rows.writeManifest(fork.ctx, { cycle: 0, body: bytes('m') }, [page(b!), page(c!)])
    await rows.writeManifest(other.ctx, { cycle: 0, body: bytes('m') }, [page(a!)])
    const found = async (family: ContextKey): Promise<unknown> =>
      (await rows.pages(family, [none!, c!, a!, b!])).toSorted((x, y) => (x.key < y.key ? -1 : 1))
    const sorted = [a!, b!, c!].toSorted().map(page)
    same(await found(root.family), sorted, 'the pages of the family')
    same(await found(other.family), [page(a!)], 'the pages of the other one')
    same(await rows.pages(root.family, []), [], 'no pages')
  },
  'there may be thousands of pages at once': async (bench) => {
    const rows = await bench.open()
    const { ctx, family } = await made(rows, 'one')
    const keys = Array.from({ length: 3000 }, (_, i) => pageKey(`${i}`))
    await rows.writeManifest(ctx, { cycle: 0, body: bytes('m') }, keys.map(page))
    same((await rows.pages(family, keys)).length, 3000, 'how many were found')
  },
  'what is derived is taken away for a family, and nothing else': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    const other = await made(rows, 'other')
    const key = pageKey('one')
    const before: object[] = []
    for (const { id } of [root, fork]) before.push(await heldOf(rows, there(await rows.find(id), id)))
    for (const { ctx } of [root, fork, other])
      await rows.writeManifest(ctx, { cycle: 0, body: bytes('m') }, [page(key)])
    const others = await heldOf(rows, other)
    await rows.dropDerived(root.family)
    for (const [i, { id }] of [root, fork].entries()) {
      same(await heldOf(rows, there(await rows.find(id), id)), before[i], `the context ${id}`)
    }
    same(await heldOf(rows, other), others, 'the context of another family')
    await rows.writeManifest(fork.ctx, { cycle: 0, body: bytes('again') }, [page(key)])
    same(await rows.pages(root.family, [key]), [page(key)], 'a page that was written again')
  },
  'a sound database finds nothing wrong with itself': async (bench) => {
    const rows = await bench.open()
    same(await rows.check(), [], 'an empty one')
    const root = await grown(rows, await made(rows, 'root'), 2)
    const fork = await forked(rows, 'fork', root)
    await rows.writeAttempts(fork.ctx, [attemptFor('a')])
    same(await rows.check(), [], 'one with contexts')
  },
}

function page(key: string): { key: string; body: Uint8Array } {
  return { key, body: bytes(`page ${key}`) }
}

async function idsOf(rows: Rows, ctx: ContextKey): Promise<readonly string[]> {
  return (await rows.attempts(ctx, 100)).map(({ id }) => id)
}
