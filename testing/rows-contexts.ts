// Promises of a database about contexts: creating, finding, listing and deleting them.

import { PactError } from 'pact-context'
import type { ContextKey, ContextRow, Rows } from 'pact-context/store'

import { holds, same, there } from './checks.js'
import type { Promises } from './contract.js'
import {
  answerFor,
  attemptFor,
  bytes,
  compareIds,
  expectCovered,
  forked,
  forkFor,
  goneKey,
  grown,
  hashOf,
  heldOf,
  LAST,
  made,
  nextFor,
  packFor,
  pageKey,
  PAGES,
  rowFor,
  rowsFor,
} from './sample-rows.js'

/** Ids that a careless database truncates, case-folds, joins or misreads. */
export const ODD_IDS: readonly string[] = [
  'a',
  'a\0',
  'a\0b',
  'A',
  'a ',
  ' a',
  '\ufeffa',
  '\u00e9',
  'e\u0301',
  '\u2028',
  '\uff5e',
  '\u{1f600}',
  '__proto__',
  'constructor',
  'toString',
  '%',
  '_',
  "'; DROP TABLE contexts; --",
  '$1',
  '?1',
  '10',
  '9',
  'x'.repeat(500),
]

export const MAKING: Promises<Rows> = {
  'a new context is found by its id and by its number': async (bench) => {
    const rows = await bench.open()
    const row = rowFor(0)
    const context = await made(rows, 'one', [row])
    const { ctx } = context
    const counts = { answers: 0, attempts: 0, draft: { version: 0, parts: 0 } }
    const expected = { ctx, id: 'one', family: ctx, forks: 0, epoch: 0, first: 0, head: 0, chain: row.hash, ...counts }
    same(context, expected, 'what create gave')
    same(await rows.find('one'), expected, 'what find gave')
    same(await rows.byNumber(ctx), expected, 'what byNumber gave')
    same(await rows.read(ctx, 0, LAST), { packs: [], rows: [row] }, 'its rows')
  },
  'what is not there is undefined': async (bench) => {
    const rows = await bench.open()
    same(await rows.find('one'), undefined, 'find in an empty database')
    const { ctx } = await made(rows, 'one')
    same(await rows.find('two'), undefined, 'find of another id')
    same(await rows.byNumber(await goneKey(rows)), undefined, 'byNumber of another number')
    same(await rows.answer(ctx, 'key'), undefined, 'answer to a key that nobody had')
    same(await rows.manifest(ctx, LAST), undefined, 'manifest where there is none')
  },
  'a context may begin with packs, rows of later cycles, and attempts': async (bench) => {
    const rows = await bench.open()
    const own = rowsFor(17, 20)
    const packs = [packFor(7, 11), packFor(12, 16)]
    const attempts = [attemptFor('b'), attemptFor('a')]
    const context = await made(rows, 'one', own, { packs, attempts })
    const { ctx, first, head, chain } = there(await rows.find('one'), 'the context')
    same({ first, head, chain }, { first: 7, head: 20, chain: own.at(-1)!.hash }, 'where it begins and ends')
    const held = await rows.read(ctx, 0, LAST)
    same(
      held.packs.toSorted((a, b) => a.from - b.from),
      packs,
      'its packs',
    )
    same(
      held.rows.toSorted((a, b) => a.cycle - b.cycle),
      own,
      'its rows',
    )
    same(await rows.attempts(ctx, 10), attempts, 'its attempts')
    same(await rows.unpacked(ctx), 4, 'how many stand alone')
    await expectCovered(rows, ctx, 10, 18)
    await grown(rows, context, 2)
  },
  'an id is taken once': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    const before = await heldOf(rows, context)
    same(await rows.create({ id: 'one', packs: [], rows: [rowFor(5, 'other')] }), 'exists', 'a second one')
    same(await heldOf(rows, context), before, 'the first one')
    same((await rows.list(undefined, 10)).length, 1, 'how many there are')
  },
  'of several that make the same context at once, one does': async (bench) => {
    const rows = await bench.open()
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => rows.create({ id: 'one', packs: [], rows: [rowFor(0, `writer ${i}`)] })),
    )
    const winners = all.filter((each) => typeof each === 'object')
    same(winners.length, 1, 'how many made it')
    same(await rows.find('one'), winners[0], 'the one that is there')
  },
  'a context is there whole or not at all': async (bench) => {
    const rows = await bench.open()
    const own = rowsFor(0, 300)
    const making = made(rows, 'one', own, { attempts: [attemptFor('a')] })
    for (let looks = 0; looks < 20; looks++) {
      const found = await rows.find('one')
      if (found === undefined) continue
      same(found.head, 300, 'the head of a context that is being made')
      await expectCovered(rows, found.ctx, 0, 300)
      same((await rows.attempts(found.ctx, 5)).length, 1, 'its attempts')
    }
    same((await making).head, 300, 'the head of the context that was made')
  },
  'ids are kept as they are, and told apart': async (bench) => {
    const rows = await bench.open()
    for (const id of ODD_IDS) await made(rows, id)
    for (const id of ODD_IDS) {
      const found = there(await rows.find(id), `the context ${JSON.stringify(id)}`)
      same(found.id, id, 'its id')
      same(found.chain, rowFor(0, id).hash, `the row of ${JSON.stringify(id)}`)
    }
    const numbers = new Set((await rows.list(undefined, 100)).map(({ ctx }) => ctx))
    same(numbers.size, ODD_IDS.length, 'how many numbers were given')
  },
  'a number is never given twice': async (bench) => {
    const rows = await bench.open()
    const numbers: ContextKey[] = []
    for (let i = 0; i < 3; i++) {
      const { ctx } = await made(rows, 'one')
      holds(!numbers.includes(ctx), `the number ${ctx} was given to another context before`)
      numbers.push(ctx)
      same(await rows.delete(ctx, false), 'deleted', 'deleting it')
    }
  },
}

export const FORKS: Promises<Rows> = {
  'a fork knows its parent and its family, and is counted': async (bench) => {
    const rows = await bench.open()
    const root = await grown(rows, await made(rows, 'root'), 2)
    const fork = await forked(rows, 'fork', root)
    const below = await forked(rows, 'below', fork)
    same(fork.parent, { ctx: root.ctx, cycle: 2 }, 'where the fork left')
    same(below.parent, { ctx: fork.ctx, cycle: 2 }, 'where the fork of the fork left')
    same([fork.family, below.family], [root.ctx, root.ctx], 'the families')
    same((await rows.find('root'))?.forks, 1, 'the forks of the root')
    same((await rows.find('fork'))?.forks, 1, 'the forks of the fork')
    same(await rows.find('below'), below, 'the fork of the fork')
  },
  'a fork is refused where its parent has other forks by now': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    await forked(rows, 'first', root)
    same(await rows.create(forkFor('second', root)), 'conflict', 'a fork that counted none before it')
    same(await rows.find('second'), undefined, 'the fork that was refused')
    same((await rows.find('root'))?.forks, 1, 'the forks of the root')
    await forked(rows, 'second', root)
    same((await rows.find('root'))?.forks, 2, 'the forks of the root then')
  },
  'of several forks at once with the same count, one is made': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => rows.create(forkFor(`fork ${i}`, root))))
    same(all.filter((each) => typeof each === 'object').length, 1, 'how many were made')
    same((await rows.find('root'))?.forks, 1, 'the forks of the root')
    same((await rows.list(undefined, 100)).length, 2, 'how many contexts there are')
  },
  'a fork whose id is taken is not counted': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    await made(rows, 'taken')
    same(await rows.create(forkFor('taken', root)), 'exists', 'a fork with an id that is taken')
    same((await rows.find('root'))?.forks, 0, 'the forks of the root')
  },
  'there is no fork of a context that is gone': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    await rows.delete(root.ctx, false)
    same(await rows.create(forkFor('fork', root)), 'conflict', 'a fork of it')
    same(await rows.find('fork'), undefined, 'the fork')
  },
  'a fork and its parent grow apart': async (bench) => {
    const rows = await bench.open()
    const root = await grown(rows, await made(rows, 'root'), 3)
    const fork = await forked(rows, 'fork', root)
    const before = await heldOf(rows, there(await rows.find('root'), 'the root'))
    await grown(rows, fork, 2, 'of the fork')
    same(await heldOf(rows, root), before, 'the root')
    const { rows: own } = await rows.read(fork.ctx, 0, LAST)
    same(
      own.map(({ cycle }) => cycle).toSorted((a, b) => a - b),
      [3, 4, 5],
      'the cycles of the fork',
    )
  },
}

export const LISTING: Promises<Rows> = {
  'contexts are listed by code point': async (bench) => {
    const rows = await bench.open()
    for (const id of ODD_IDS) await made(rows, id)
    const ids = (await rows.list(undefined, 1000)).map(({ id }) => id)
    same(ids, ODD_IDS.toSorted(compareIds), 'the order of the list')
  },
  'a page begins behind an id, whether that is there or not': async (bench) => {
    const rows = await bench.open()
    const sorted = ODD_IDS.toSorted(compareIds)
    for (const id of ODD_IDS) await made(rows, id)
    const found: string[] = []
    for (let after: string | undefined; ; after = found.at(-1)) {
      const page = await rows.list(after, 4)
      holds(page.length <= 4, 'a page is longer than its limit')
      found.push(...page.map(({ id }) => id))
      if (page.length < 4) break
    }
    same(found, sorted, 'all pages together')
    const missing = '\u{1f5ff}'
    const behind = sorted.filter((id) => compareIds(id, missing) > 0)
    same(
      (await rows.list(missing, 100)).map(({ id }) => id),
      behind,
      'what comes behind an id that is not there',
    )
    same(await rows.list('\u{10ffff}', 100), [], 'what comes behind all')
    same(
      (await rows.list('', 100)).map(({ id }) => id),
      sorted,
      'what comes behind the empty text',
    )
  },
  'a list says of each context what find says': async (bench) => {
    const rows = await bench.open()
    const root = await grown(rows, await made(rows, 'root'), 3)
    await forked(rows, 'fork', root)
    for (const context of await rows.list(undefined, 10)) same(context, await rows.find(context.id), context.id)
  },
}

export const DELETING: Promises<Rows> = {
  'a context that is deleted is gone with all it had': async (bench) => {
    const rows = await bench.open()
    const other = await filled(rows, 'other')
    const context = await filled(rows, 'one')
    const before = await heldOf(rows, other)
    same(await rows.delete(context.ctx, false), 'deleted', 'what delete gave')
    await expectGone(rows, context)
    same(await heldOf(rows, other), before, 'the other context')
    same(
      (await rows.list(undefined, 10)).map(({ id }) => id),
      ['other'],
      'the list',
    )
    same(await rows.delete(context.ctx, true), 'deleted', 'deleting it again')
    same(await rows.check(), [], 'what the database finds wrong')
  },
  'one with forks is refused, with the forks by code point': async (bench) => {
    const rows = await bench.open()
    const root = await filled(rows, 'root')
    for (const id of ['\u{1f600}', '\uff5e', 'a']) await forked(rows, id, root)
    const before = await heldOf(rows, root)
    same(await rows.delete(root.ctx, false), ['a', '\uff5e', '\u{1f600}'], 'what delete gave')
    same(await heldOf(rows, root), before, 'the root')
    same((await rows.list(undefined, 10)).length, 4, 'how many there are')
  },
  'with its forks, theirs go as well, and nobody else': async (bench) => {
    const rows = await bench.open()
    const root = await filled(rows, 'root')
    const other = await filled(rows, 'other')
    const fork = await forked(rows, 'fork', root)
    const below = await forked(rows, 'below', fork)
    await forked(rows, 'second', root)
    const before = await heldOf(rows, other)
    same(await rows.delete(root.ctx, true), 'deleted', 'what delete gave')
    for (const context of [root, fork, below]) await expectGone(rows, context)
    same(
      (await rows.list(undefined, 10)).map(({ id }) => id),
      ['other'],
      'the list',
    )
    same(await heldOf(rows, other), before, 'the other context')
  },
  'a parent outlives its forks, and does not count them again': async (bench) => {
    const rows = await bench.open()
    const root = await filled(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    const before = await heldOf(rows, root)
    same(await rows.delete(fork.ctx, false), 'deleted', 'deleting the fork')
    same(await heldOf(rows, root), before, 'the root')
    same((await rows.find('root'))?.forks, 1, 'its forks, whose names are given')
    same(await rows.delete(root.ctx, false), 'deleted', 'deleting the root then')
    same(await rows.pages(root.family, PAGES), [], 'the pages of the family')
  },
  'no fork leaves a context while it is deleted': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    await forked(rows, 'first', root)
    await forked(rows, 'second', root)
    const now = there(await rows.find('root'), 'the root')
    const [, late] = await Promise.all([rows.delete(root.ctx, true), rows.create(forkFor('late', now))])
    const left = (await rows.list(undefined, 10)).map(({ id }) => id)
    same(left, [], `what is left, where the fork was answered ${typeof late === 'string' ? late : 'done'}`)
  },
  'an id is free again, for a context of its own': async (bench) => {
    const rows = await bench.open()
    const old = await filled(rows, 'one')
    await rows.delete(old.ctx, false)
    const context = await made(rows, 'one')
    same(await rows.commit(nextFor(old)), 'conflict', 'a commit of whoever still holds the old one')
    same(await rows.find('one'), context, 'the new one')
    same(await rows.attempts(context.ctx, 10), [], 'its attempts')
    same(await rows.answer(context.ctx, 'key'), undefined, 'the answer to a key of the old one')
  },
  'what is written to a context that is gone leaves nothing behind': async (bench) => {
    const rows = await bench.open()
    const context = await filled(rows, 'one')
    await rows.delete(context.ctx, false)
    same(await rows.commit(nextFor(context)), 'conflict', 'a commit')
    const { ctx, family } = context
    await orRefused(() => rows.writeAttempts(ctx, [attemptFor('late')]))
    await orRefused(() =>
      rows.writeManifest(ctx, { cycle: 1, body: bytes('m') }, [{ key: PAGES[0]!, body: bytes('p') }]),
    )
    await orRefused(() => rows.pack(ctx, packFor(0, 1)))
    await orRefused(() => rows.dropDerived(family))
    await expectGone(rows, context)
    same(await rows.check(), [], 'what the database finds wrong')
  },
}

/** A context with data of every kind. */
export async function filled(rows: Rows, id: string): Promise<ContextRow> {
  const begun = await made(rows, id, rowsFor(0, 5, id), { attempts: [attemptFor('a', id)] })
  const { ctx } = begun
  const { row, ...next } = nextFor(begun, id)
  same(await rows.commit({ ...next, row, answer: answerFor('key', row.cycle) }), 'done', 'a commit with a key')
  await rows.pack(ctx, packFor(0, 2))
  const pages = PAGES.slice(0, 2).map((key) => ({ key, body: hashOf(key) }))
  await rows.writeManifest(ctx, { cycle: 4, body: bytes(`manifest of ${id}`) }, pages)
  return there(await rows.find(id), `the context ${id}`)
}

async function expectGone(rows: Rows, { ctx, id, family }: ContextRow): Promise<void> {
  same(await rows.find(id), undefined, `the context ${id}`)
  same(await rows.byNumber(ctx), undefined, `the context number ${ctx}`)
  same(await rows.read(ctx, 0, LAST), { packs: [], rows: [] }, `the rows of ${id}`)
  same(await rows.unpacked(ctx), 0, `how many rows of ${id} stand alone`)
  same(await rows.answer(ctx, 'key'), undefined, `the answer of ${id} to a key`)
  same(await rows.answers(ctx), [], `the answers of ${id}`)
  same(await rows.attempts(ctx, 10), [], `the attempts of ${id}`)
  same(await rows.manifest(ctx, LAST), undefined, `the newest manifest of ${id}`)
  same(await rows.manifests(ctx), [], `the manifests of ${id}`)
  same(await rows.pages(family, [...PAGES, pageKey('none')]), [], `the pages of ${id}`)
}

async function orRefused(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!PactError.is(error)) throw error
  }
}
