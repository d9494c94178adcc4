// Promises of a database about commits: each follows the newest row or fails, carries its answer, and rows may be packed.

import type { Rows } from 'pact-context/store'

import { holds, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { ODD_IDS } from './rows-contexts.js'
import {
  answerFor,
  attemptFor,
  bytes,
  expectCovered,
  forked,
  goneKey,
  grown,
  hashOf,
  heldOf,
  LAST,
  made,
  nextFor,
  packFor,
  rowFor,
  rowsFor,
} from './sample-rows.js'

export const COMMITS: Promises<Rows> = {
  'a commit is the newest row': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    const next = nextFor(context)
    same(await rows.commit(next), 'done', 'what commit gave')
    const { head, chain } = there(await rows.find('one'), 'the context')
    same({ head, chain }, { head: 1, chain: next.row.hash }, 'its newest row')
    same((await rows.read(context.ctx, 1, 1)).rows, [next.row], 'the row')
    const again = await grown(rows, context, 0)
    same((await grown(rows, there(await rows.find('one'), 'the context'), 5)).head, 6, 'the head after five more')
    same(again.first, 0, 'where it begins')
  },
  'a commit is done only after the row with that hash': async (bench) => {
    const rows = await bench.open()
    const context = await grown(rows, await made(rows, 'one'), 2)
    const before = await heldOf(rows, context)
    const next = nextFor(context)
    const wrong = new Uint8Array(next.after)
    wrong[31]! ^= 1
    same(await rows.commit({ ...next, after: wrong }), 'conflict', 'a commit after another row')
    same(await rows.commit({ ...next, after: new Uint8Array(0) }), 'conflict', 'a commit after nothing')
    same(await rows.commit({ ...next, after: rowFor(0, 'one').hash }), 'conflict', 'a commit after an older row')
    same(await heldOf(rows, context), before, 'the context')
  },
  'a commit is done only for the cycle that comes next': async (bench) => {
    const rows = await bench.open()
    const context = await grown(rows, await made(rows, 'one'), 2)
    const before = await heldOf(rows, context)
    const next = nextFor(context)
    for (const cycle of [0, 1, 2, 4, 100]) {
      same(await rows.commit({ ...next, row: rowFor(cycle, 'other') }), 'conflict', `a commit of cycle ${cycle}`)
    }
    // Follows the row before the newest one: the second writer of a cycle.
    const older = { after: rowFor(1, 'more').hash, row: rowFor(2, 'late') }
    same(await rows.commit({ ...next, ...older }), 'conflict', 'a commit of a cycle that is taken')
    same(await heldOf(rows, context), before, 'the context')
  },
  'a commit is done only in the same epoch': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    const before = await heldOf(rows, context)
    const next = nextFor(context)
    for (const epoch of [next.epoch + 1, next.epoch - 1]) {
      same(await rows.commit({ ...next, epoch }), 'conflict', `a commit of epoch ${epoch}`)
      const answer = answerFor('key', 1)
      same(await rows.commit({ ...next, epoch, answer }), 'conflict', `a commit of epoch ${epoch} with a key`)
    }
    same(await heldOf(rows, context), before, 'the context')
  },
  'there is no commit to a context that is not there': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    const ctx = await goneKey(rows)
    same(await rows.commit({ ...nextFor(context), ctx }), 'conflict', 'a commit to no context')
    same(await rows.read(ctx, 0, LAST), { packs: [], rows: [] }, 'its rows')
  },
  'the same commit is not done twice': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    const next = nextFor(context)
    same(await rows.commit(next), 'done', 'the first time')
    const before = await heldOf(rows, context)
    same(await rows.commit(next), 'conflict', 'the second time')
    same(await heldOf(rows, context), before, 'the context')
  },
  'of several commits of one cycle at once, one is done': async (bench) => {
    const rows = await bench.open()
    let context = await made(rows, 'one')
    for (let round = 0; round < 5; round++) {
      const commits = Array.from({ length: 8 }, (_, i) => nextFor(context, `writer ${i} of ${round}`))
      const outcomes = await Promise.all(
        commits.map((each, i) =>
          rows.commit(i % 2 === 0 ? each : { ...each, answer: answerFor(`${round} ${i}`, each.row.cycle) }),
        ),
      )
      const done = commits.filter((_, i) => outcomes[i] === 'done')
      same(done.length, 1, 'how many were done')
      context = there(await rows.find('one'), 'the context')
      same(context.chain, done[0]!.row.hash, 'the newest row')
      same((await rows.read(context.ctx, context.head, context.head)).rows, [done[0]!.row], 'the row of the winner')
      const kept = outcomes.map((outcome, i) => outcome === 'done' && i % 2 === 1)
      for (const [i, isKept] of kept.entries()) {
        same(
          (await rows.answer(context.ctx, `${round} ${i}`)) !== undefined,
          isKept,
          `whether writer ${i} has an answer`,
        )
      }
    }
  },
  'contexts do not reach into each other': async (bench) => {
    const rows = await bench.open()
    const [one, two] = [await made(rows, 'one'), await made(rows, 'two')]
    await grown(rows, one, 3, 'one')
    await grown(rows, two, 2, 'two')
    for (const [context, label, head] of [
      [one, 'one', 3],
      [two, 'two', 2],
    ] as const) {
      const { rows: own } = await rows.read(context.ctx, 0, LAST)
      same(
        own.toSorted((a, b) => a.cycle - b.cycle),
        rowsFor(0, head, label),
        `the rows of ${label}`,
      )
    }
    same(await rows.commit({ ...nextFor(one), ctx: two.ctx }), 'conflict', 'a commit of one into the other')
  },
}

export const ANSWERS: Promises<Rows> = {
  'an answer is kept with its commit': async (bench) => {
    const rows = await bench.open()
    let context = await made(rows, 'one')
    for (const key of ODD_IDS) {
      const next = nextFor(context, key)
      same(
        await rows.commit({ ...next, answer: answerFor(key, next.row.cycle) }),
        'done',
        `a commit with the key ${key}`,
      )
      context = there(await rows.find('one'), 'the context')
    }
    for (const [i, key] of ODD_IDS.entries()) {
      same(await rows.answer(context.ctx, key), answerFor(key, i + 1), `the answer to ${JSON.stringify(key)}`)
    }
    const keys = (await rows.answers(context.ctx)).map(({ key }) => key)
    same(new Set(keys), new Set(ODD_IDS), 'the keys of all answers')
    same(keys.length, ODD_IDS.length, 'how many answers there are')
  },
  'a key is answered once': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    same(await rows.commit({ ...nextFor(context), answer: answerFor('key', 1) }), 'done', 'the first time')
    const now = there(await rows.find('one'), 'the context')
    const before = await heldOf(rows, now)
    const again = { ...nextFor(now), answer: { ...answerFor('key', 2), answer: bytes('other') } }
    same(await rows.commit(again), 'conflict', 'another commit with the key')
    same(await heldOf(rows, now), before, 'the context')
  },
  'a commit that is refused leaves no answer': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one')
    await grown(rows, context, 1)
    same(await rows.commit({ ...nextFor(context, 'late'), answer: answerFor('key', 1) }), 'conflict', 'a late commit')
    same(await rows.answer(context.ctx, 'key'), undefined, 'its answer')
    const now = there(await rows.find('one'), 'the context')
    same(await rows.commit({ ...nextFor(now), answer: answerFor('key', 2) }), 'done', 'a later commit with the key')
  },
  'keys are those of one context': async (bench) => {
    const rows = await bench.open()
    const one = await made(rows, 'one')
    const two = await made(rows, 'two')
    const fork = await forked(rows, 'fork', one)
    for (const context of [one, two, fork]) {
      const next = nextFor(context)
      same(
        await rows.commit({ ...next, answer: answerFor('key', next.row.cycle) }),
        'done',
        `a commit to ${context.id}`,
      )
    }
    for (const { ctx, id } of [one, two, fork]) same((await rows.answers(ctx)).length, 1, `the answers of ${id}`)
  },
}

export const READING: Promises<Rows> = {
  'what is read is what was asked for': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one', rowsFor(3, 9))
    for (const [from, to] of [
      [3, 9],
      [3, 3],
      [9, 9],
      [5, 7],
    ] as const)
      await expectCovered(rows, ctx, from, to)
    same((await rows.read(ctx, 0, 2)).rows, [], 'what comes before the first')
    same((await rows.read(ctx, 10, LAST)).rows, [], 'what comes after the last')
    same((await rows.read(ctx, 8, LAST)).rows.length, 2, 'how many there are from 8 on')
  },
  'a pack stands in the place of its rows': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one', rowsFor(0, 20))
    const { ctx } = context
    await rows.pack(ctx, packFor(0, 4))
    await rows.pack(ctx, packFor(5, 11))
    same(await rows.unpacked(ctx), 9, 'how many stand alone')
    const { packs, rows: alone } = await rows.read(ctx, 0, LAST)
    same(
      packs.toSorted((a, b) => a.from - b.from),
      [packFor(0, 4), packFor(5, 11)],
      'the packs',
    )
    same(
      alone.toSorted((a, b) => a.cycle - b.cycle),
      rowsFor(12, 20),
      'the rows',
    )
    for (const [from, to] of [
      [0, 20],
      [0, 0],
      [4, 5],
      [2, 3],
      [11, 12],
      [6, 14],
      [5, 11],
      [12, 20],
    ] as const) {
      await expectCovered(rows, ctx, from, to)
    }
    same(await rows.find('one'), context, 'the context')
    await grown(rows, context, 2)
  },
  'nothing is packed where a row is missing': async (bench) => {
    const rows = await bench.open()
    const context = await made(rows, 'one', rowsFor(3, 12))
    const { ctx } = context
    await rows.pack(ctx, packFor(5, 7))
    const before = await heldOf(rows, context)
    for (const [from, to] of [
      [5, 7],
      [4, 5],
      [7, 8],
      [0, 4],
      [11, 20],
      [4, 9],
    ] as const) {
      await rows.pack(ctx, packFor(from, to))
      same(await heldOf(rows, context), before, `the context after a pack of ${from} to ${to}`)
    }
  },
  'whoever reads while rows are packed misses none': async (bench) => {
    const rows = await bench.open()
    const { ctx } = await made(rows, 'one', rowsFor(0, 60))
    const work: Promise<void>[] = []
    // One pack after the other, because only the oldest rows are packed, with concurrent readers.
    let packing = Promise.resolve()
    for (let from = 0; from < 50; from += 10) {
      packing = packing.then(() => rows.pack(ctx, packFor(from, from + 9)))
      work.push(packing, expectCovered(rows, ctx, 0, 60), expectCovered(rows, ctx, 5, 45))
    }
    await Promise.all(work)
    same(await rows.unpacked(ctx), 11, 'how many stand alone')
  },
  'packs are those of one context': async (bench) => {
    const rows = await bench.open()
    const [one, two] = [await made(rows, 'one', rowsFor(0, 9)), await made(rows, 'two', rowsFor(0, 9))]
    await rows.pack(one.ctx, packFor(0, 5))
    same(await rows.unpacked(two.ctx), 10, 'how many rows of the other stand alone')
    same((await rows.read(two.ctx, 0, LAST)).packs, [], 'the packs of the other')
    await expectCovered(rows, two.ctx, 0, 9)
  },
}

export const BYTES: Promises<Rows> = {
  'bytes are kept as they are': async (bench) => {
    const rows = await bench.open()
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    const samples = [
      all,
      new Uint8Array(0),
      bytes(''),
      new Uint8Array(3),
      Uint8Array.of(0xff, 0xfe, 0, 0xed, 0xa0, 0x80),
      bytes('\ufeffé\0x'),
    ]
    for (const [i, sample] of samples.entries()) {
      const row = { cycle: 0, hash: hashOf(`${i}`), changes: sample, bodies: sample }
      const attempt = { id: 'a\0b', writer: '\u{1f600}', body: sample }
      const context = await made(rows, `context ${i}`, [row], { attempts: [attempt] })
      const { ctx, family } = context
      const next = nextFor(context)
      const answer = { key: 'key', cycle: 1, digest: sample, answer: sample }
      same(
        await rows.commit({ ...next, row: { ...next.row, changes: sample, bodies: sample }, answer }),
        'done',
        'a commit',
      )
      const manifest = { cycle: 1, body: sample }
      const page = { key: '00ff'.repeat(8), body: sample }
      await rows.writeManifest(ctx, manifest, [page])
      same((await rows.read(ctx, 0, 0)).rows, [row], `row ${i}`)
      same((await rows.read(ctx, 1, 1)).rows[0]?.bodies, sample, `the bodies of commit ${i}`)
      same(await rows.attempts(ctx, 5), [attempt], `attempt ${i}`)
      same(await rows.answer(ctx, 'key'), answer, `answer ${i}`)
      same(await rows.manifest(ctx, 1), manifest, `manifest ${i}`)
      same(await rows.pages(family, [page.key]), [page], `page ${i}`)
      const pack = { from: 0, to: 0, body: sample }
      await rows.pack(ctx, pack)
      same((await rows.read(ctx, 0, 0)).packs, [pack], `pack ${i}`)
    }
  },
  'a part of a larger buffer is kept by itself': async (bench) => {
    const rows = await bench.open()
    const part = bytes('before, the part, after').subarray(8, 16)
    const context = await made(rows, 'one', [{ cycle: 0, hash: hashOf('0'), changes: part, bodies: part }])
    same((await rows.read(context.ctx, 0, 0)).rows[0]?.changes, bytes('the part'), 'what was kept')
  },
  'who wrote bytes, or reads them, cannot change what is kept': async (bench) => {
    const rows = await bench.open()
    // A Buffer shares its bytes; a Uint8Array copies them.
    const buffer = (text: string): Buffer => Buffer.from(text)
    const row = { cycle: 0, hash: Buffer.from(hashOf('0')), changes: buffer('changes 0'), bodies: buffer('bodies 0') }
    const next = { cycle: 1, hash: Buffer.from(hashOf('1')), changes: buffer('changes 1'), bodies: buffer('bodies 1') }
    const attempt = { ...attemptFor('a'), body: buffer('attempt') }
    const answer = { key: 'key', cycle: 1, digest: buffer('digest'), answer: buffer('answer') }
    const manifest = { cycle: 1, body: buffer('manifest') }
    const page = { key: '0f'.repeat(16), body: buffer('page') }
    const pack = { from: 0, to: 0, body: buffer('pack') }
    const { ctx, family, epoch } = await made(rows, 'one', [row], { attempts: [attempt] })
    await rows.commit({ ctx, after: row.hash, epoch, row: next, answer })
    await rows.writeManifest(ctx, manifest, [page])
    await rows.pack(ctx, pack)
    const read = async (): Promise<readonly (Uint8Array | undefined)[]> => {
      const held = await rows.read(ctx, 0, 1)
      const alone = held.rows[0]
      const said = await rows.answer(ctx, 'key')
      const [attempts, pages] = [await rows.attempts(ctx, 1), await rows.pages(family, [page.key])]
      const [newest, found] = [await rows.manifest(ctx, 1), await rows.find('one')]
      const bodies = [held.packs[0], attempts[0], newest, pages[0]].map((each) => each?.body)
      return [...bodies, alone?.hash, alone?.changes, alone?.bodies, said?.digest, said?.answer, found?.chain]
    }
    const before = (await read()).map((each) => each && new Uint8Array(each))
    const given = [pack, attempt, manifest, page].map((each) => each.body)
    for (const each of [...given, next.hash, next.changes, next.bodies, answer.digest, answer.answer]) each.fill(1)
    same(await read(), before, 'what is kept after the writer has changed what it gave')
    for (const each of await read()) each?.fill(2)
    same(await read(), before, 'what is kept after a reader has changed what it got')
  },
  'a row may have ten megabytes': async (bench) => {
    const rows = await bench.open()
    const large = new Uint8Array(10 * 1024 * 1024)
    for (let i = 0; i < large.length; i++) large[i] = (i * 2654435761) >>> 13
    const context = await made(rows, 'one')
    const next = nextFor(context)
    const row = { ...next.row, bodies: large }
    same(await rows.commit({ ...next, row, answer: answerFor('key', 1) }), 'done', 'the commit')
    const found = there((await rows.read(context.ctx, 1, 1)).rows[0], 'the row')
    holds(Buffer.compare(found.bodies, large) === 0, 'a large row came back otherwise than it was written')
    const pack = { from: 0, to: 0, body: large }
    await rows.pack(context.ctx, pack)
    const packed = there((await rows.read(context.ctx, 0, 0)).packs[0], 'the pack')
    holds(Buffer.compare(packed.body, large) === 0, 'a large pack came back otherwise than it was written')
  },
}
