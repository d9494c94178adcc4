// Promises of a database about erasing and moving: one step for a whole family, and no row made before the step is written after it.

import type { Answer, ContextKey, Erasure, Rows } from 'pact-context/store'

import { same, there } from './checks.js'
import type { Promises } from './contract.js'
import {
  answerFor,
  attemptFor,
  bytes,
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
  rowsFor,
} from './sample-rows.js'

export const ERASING: Promises<Rows> = {
  'a family is all that come from one': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    const deep = await forked(rows, 'deep', fork)
    const other = await made(rows, 'other')
    same(await idsOf(rows, root.family), ['deep', 'fork', 'root'], 'the family')
    same(await idsOf(rows, other.family), ['other'], 'another one')
    same(
      (await rows.family(root.family)).find(({ ctx }) => ctx === deep.ctx),
      await rows.find('deep'),
      'one of it',
    )
    same(await rows.family(999), [], 'none')
  },
  'an erasure writes over what is there, and makes the epoch another one': async (bench) => {
    const rows = await bench.open()
    const root = await packed(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    await rows.commit({ ...nextFor(there(await rows.find('root'), 'root')), answer: answerFor('key', root.head + 1) })
    await rows.writeAttempts(root.ctx, [attemptFor('a', 'said', 'me'), attemptFor('b')])
    const other = await packed(rows, 'other')
    for (const { ctx } of [root, other]) {
      await rows.writeManifest(ctx, { cycle: 1, body: bytes('m') }, [{ key: pageKey('one'), body: bytes('p') }])
    }
    const others = await heldOf(rows, other)
    const { head } = there(await rows.find('root'), 'root')
    const before = await rows.read(root.ctx, 0, LAST)
    const row = there(
      before.rows.find(({ cycle }) => cycle === head),
      'the newest row',
    )
    const erasure = {
      ...(await erasureOf(rows, root.family)),
      rows: [{ ctx: root.ctx, row: { ...row, bodies: bytes('erased') } }],
      packs: [{ ctx: root.ctx, pack: { ...before.packs[0]!, body: bytes('erased pack') } }],
      answers: [{ ctx: root.ctx, answer: { ...answerFor('key', head), digest: bytes(''), answer: bytes('other') } }],
      attempts: [{ ctx: root.ctx, attempt: attemptFor('a', 'erased', 'me') }],
    }
    same(await rows.erase(erasure), 'done', 'the erasure')
    const after = await rows.read(root.ctx, 0, LAST)
    const now = there(await rows.find('root'), 'root')
    same([now.epoch, (await rows.find('fork'))?.epoch, now.chain], [1, 1, row.hash], 'epochs, and the newest hash')
    const left = after.rows.toSorted((a, b) => a.cycle - b.cycle)
    same(left.at(-1), { ...row, bodies: bytes('erased') }, 'the row')
    same(left.slice(0, -1), before.rows.toSorted((a, b) => a.cycle - b.cycle).slice(0, -1), 'the other rows')
    same(after.packs, [{ ...before.packs[0]!, body: bytes('erased pack') }], 'the pack')
    const answer = await rows.answer(root.ctx, 'key')
    same([answer?.digest, answer?.answer, answer?.cycle], [bytes(''), bytes('other'), head], 'the answer')
    same(await rows.attempts(root.ctx, 10), [attemptFor('a', 'erased', 'me'), attemptFor('b')], 'the attempts')
    same([await rows.manifests(root.ctx), await rows.pages(root.family, [pageKey('one')])], [[], []], 'what is derived')
    same(await heldOf(rows, other), others, 'another family')
    same((await rows.read(fork.ctx, 0, LAST)).rows.length, 1, 'the rows of the fork')
    same(await rows.commit(nextFor({ ...now, epoch: 0 })), 'conflict', 'a commit of an earlier epoch')
    same(await rows.commit(nextFor(now)), 'done', 'a commit of this one')
  },
  'erasures are listed in order, until they are finished': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    const other = await made(rows, 'other')
    same(await rows.audit(root.family), [], 'none')
    for (const n of [1, 2]) same(await rows.erase(await erasureOf(rows, root.family, n)), 'done', `number ${n}`)
    const listed = await rows.audit(root.family)
    same(
      listed.map(({ n, body, isFinished }) => [n, body, isFinished]),
      [
        [1, bytes('audit 1'), false],
        [2, bytes('audit 2'), false],
      ],
      'the list',
    )
    same(await rows.audit(other.family), [], 'that of another family')
    await rows.scrub(root.family)
    const finished = await rows.audit(root.family)
    same(
      finished,
      listed.map((each) => ({ ...each, isFinished: true })),
      'the list when they are finished',
    )
    await rows.delete(root.ctx, false)
    same(await rows.audit(root.family), [], 'the list when the family is gone')
  },
  'an erasure is refused where anything has happened since': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    await forked(rows, 'fork', root)
    const acts: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['a commit', async () => rows.commit(nextFor(there(await rows.find('fork'), 'fork')))],
      ['a fork', async () => rows.create(forkFor('late', there(await rows.find('root'), 'root')))],
      ['a deletion', async () => rows.delete(there(await rows.find('late'), 'late').ctx, false)],
      ['an erasure', async () => rows.erase(await erasureOf(rows, root.family))],
    ]
    for (const [name, act] of acts) {
      const erasure = await erasureOf(rows, root.family, 9)
      await act()
      const before = await heldOf(rows, there(await rows.find('root'), 'root'))
      same(await rows.erase(erasure), 'conflict', name)
      same(await heldOf(rows, there(await rows.find('root'), 'root')), before, `what is there after ${name}`)
      same((await rows.audit(root.family)).length, name === 'an erasure' ? 1 : 0, 'how many are listed')
    }
  },
  'an erasure is refused where what it writes over was packed meanwhile': async (bench) => {
    const rows = await bench.open()
    const root = await grown(rows, await made(rows, 'root'), 8)
    const row = there((await rows.read(root.ctx, 2, 2)).rows[0], 'a row')
    const erasure = {
      ...(await erasureOf(rows, root.family)),
      rows: [{ ctx: root.ctx, row: { ...row, bodies: bytes('erased') } }],
    }
    await rows.pack(root.ctx, packFor(0, 3))
    const before = await heldOf(rows, root)
    same(await rows.erase(erasure), 'conflict', 'the erasure')
    same(await heldOf(rows, there(await rows.find('root'), 'root')), before, 'what is there')
    same(await rows.audit(root.family), [], 'the list of erasures')
    const packs = [{ ctx: root.ctx, pack: { from: 0, to: 2, body: bytes('erased') } }]
    same(await rows.erase({ ...erasure, rows: [], packs }), 'conflict', 'that of a pack that is not there')
    same(await heldOf(rows, there(await rows.find('root'), 'root')), before, 'what is there then')
  },
  'what was made before an erasure is not written after it': async (bench) => {
    const rows = await bench.open()
    const root = await grown(rows, await made(rows, 'root'), 6)
    same(await rows.erase(await erasureOf(rows, root.family)), 'done', 'the erasure')
    const now = there(await rows.find('root'), 'root')
    const before = await heldOf(rows, now)
    const page = { key: pageKey('one'), body: bytes('p') }
    await rows.pack(root.ctx, packFor(0, 3), 0)
    await rows.writeManifest(root.ctx, { cycle: 1, body: bytes('m') }, [page], 0)
    same(await rows.writeAttempts(root.ctx, [attemptFor('a')], 0), 'erased', 'an attempt')
    const parent = { ctx: root.ctx, cycle: 6, forks: 0, family: root.family, epoch: 0 }
    same(await rows.create({ ...forkFor('fork', now), parent }), 'conflict', 'a fork')
    same(await heldOf(rows, now), before, 'what is there')
    await rows.pack(root.ctx, packFor(0, 3), 1)
    await rows.writeManifest(root.ctx, { cycle: 1, body: bytes('m') }, [page], 1)
    await rows.writeAttempts(root.ctx, [attemptFor('a')], 1)
    same([await rows.unpacked(root.ctx), await rows.manifests(root.ctx)], [3, [1]], 'a pack and a manifest of now')
    same((await rows.attempts(root.ctx, 10)).length, 1, 'an attempt of now')
    const made1 = await rows.create({ ...forkFor('fork', now), parent: { ...parent, epoch: 1 } })
    same(typeof made1 === 'object' ? made1.epoch : made1, 1, 'the epoch of a fork')
  },
}

export const MOVING: Promises<Rows> = {
  'a family may begin with an epoch, a list of erasures and answers': async (bench) => {
    const rows = await bench.open()
    const audit = [1, 2].map((n) => ({ ...entryFor(n), isFinished: n === 1 }))
    const answers = [answerFor('a', 1), answerFor('b', 2)]
    const root = await made(rows, 'root', rowsFor(0, 2), { epoch: 2, audit, answers })
    same([root.epoch, root.answers], [2, 2], 'what create gave')
    same(await rows.find('root'), root, 'what find gave')
    same(await rows.audit(root.family), audit, 'the list')
    same((await rows.answers(root.ctx)).toSorted(byKey), answers, 'the answers')
    same((await forked(rows, 'fork', root)).epoch, 2, 'the epoch of a fork')
    same(
      await rows.commit({ ...nextFor(there(await rows.find('root'), 'root')), answer: answerFor('a', 3) }),
      'conflict',
      'a commit with a key that it has',
    )
    same(await rows.commit(nextFor({ ...root, epoch: 0 })), 'conflict', 'a commit of an earlier epoch')
    same(await rows.commit(nextFor(root)), 'done', 'a commit')
  },
  'a family arrives where all its contexts and newest rows are those that were sent': async (bench) => {
    const rows = await bench.open()
    const audit = [1, 2].map((n) => ({ ...entryFor(n), isFinished: false }))
    const root = await grown(rows, await made(rows, 'root', undefined, { epoch: 2, audit }), 2)
    const fork = await forked(rows, 'fork', root)
    const sent = [
      { ctx: root.ctx, chain: root.chain, forks: 7, seal: bytes('a seal of the root') },
      { ctx: fork.ctx, chain: fork.chain, forks: 3 },
    ]
    const wrong = { ...sent[1]!, chain: hashOf('another row') }
    for (const [name, some] of [
      ['a context is missing', sent.slice(1)],
      ['another newest row', [sent[0]!, wrong]],
      ['one more context', [...sent, { ...wrong, ctx: await goneKey(rows) }]],
    ] as const) {
      same(await rows.arrive(root.family, some), 'conflict', name)
    }
    same(
      (await rows.audit(root.family)).map(({ isFinished }) => isFinished),
      [false, false],
      'the list until then',
    )
    same(await rows.arrive(root.family, sent), 'done', 'the arrival')
    const [now, forkNow] = [there(await rows.find('root'), 'root'), there(await rows.find('fork'), 'fork')]
    same(
      [now.forks, now.seal, now.epoch, forkNow.forks, forkNow.seal],
      [7, bytes('a seal of the root'), 2, 3, fork.seal],
      'forks, seals and epoch',
    )
    same(
      (await rows.audit(root.family)).map(({ isFinished }) => isFinished),
      [true, true],
      'the list',
    )
    same(await rows.arrive(root.family, sent), 'done', 'the same again')
  },
  'erasures are finished up to one, and written whatever the newest rows are where none is given': async (bench) => {
    const rows = await bench.open()
    const root = await made(rows, 'root')
    for (const n of [1, 2]) {
      const erasure = await erasureOf(rows, root.family, n)
      await rows.commit(nextFor(there(await rows.find('root'), 'root')))
      same(await rows.erase(erasure), 'conflict', 'an erasure of other rows')
      const heads = [{ ctx: root.ctx, forks: 0 }]
      same(await rows.erase({ ...erasure, heads: [{ ...heads[0]!, forks: 1 }] }), 'conflict', 'one of other forks')
      same(await rows.erase({ ...erasure, heads }), 'done', 'one of any rows')
    }
    await rows.scrub(root.family, 1)
    same(
      (await rows.audit(root.family)).map(({ isFinished }) => isFinished),
      [true, false],
      'which are finished',
    )
  },
}

function entryFor(n: number): Erasure['audit'] {
  return { n, hash: hashOf(`audit ${n}`), body: bytes(`audit ${n}`) }
}

function byKey(a: Answer, b: Answer): number {
  return a.key < b.key ? -1 : 1
}

async function packed(rows: Rows, id: string): Promise<Awaited<ReturnType<typeof made>>> {
  const context = await grown(rows, await made(rows, id), 8)
  await rows.pack(context.ctx, packFor(0, 3))
  return context
}

async function idsOf(rows: Rows, family: ContextKey): Promise<readonly string[]> {
  return (await rows.family(family)).map(({ id }) => id).toSorted()
}

/** An erasure of nothing, for a family in its current state. */
export async function erasureOf(rows: Rows, family: ContextKey, n = 1): Promise<Erasure> {
  const all = await rows.family(family)
  const heads = all.map(({ ctx, chain }) => ({ ctx, chain }))
  const nothing = { rows: [], packs: [], answers: [], attempts: [], drafts: [] }
  return { family, epoch: all[0]!.epoch, heads, ...nothing, audit: entryFor(n) }
}
