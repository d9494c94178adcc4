// A toy database with one fault at a time: the contract has to notice each.

import {
  MemoryRows,
  type AttemptRow,
  type ContextKey,
  type ContextRow,
  type Row,
  type Rows,
} from '../../src/store/index.js'

/** Calls that a faulty database does otherwise; `sound` is the same one without faults. */
type Fault = (sound: Rows) => Partial<Rows>

/** By what is wrong with them. */
export const PLANTED: Readonly<Record<string, Fault>> = {
  'what was made before an erasure is packed': (sound) => ({ pack: (ctx, pack) => sound.pack(ctx, pack) }),
  'a manifest from before an erasure is written': (sound) => ({
    writeManifest: (ctx, manifest, pages) => sound.writeManifest(ctx, manifest, pages),
  }),
  'an attempt from before an erasure is written': (sound) => ({
    writeAttempts: (ctx, attempts) => sound.writeAttempts(ctx, attempts),
  }),
  'a fork from before an erasure is made': (sound) => ({
    create: ({ parent, ...context }) => sound.create({ ...context, parent: parent && { ...parent, epoch: undefined } }),
  }),
  'an erasure ignores what has happened since': (sound) => ({
    erase: async (erasure) => {
      const all = await sound.family(erasure.family)
      return sound.erase({ ...erasure, epoch: all[0]?.epoch ?? 0, heads: all.map(({ ctx }) => ({ ctx })) })
    },
  }),
  'an erasure does not notice what was packed meanwhile': (sound) => ({
    erase: async (erasure) => {
      const isThere = async (ctx: ContextKey, cycle: number): Promise<boolean> =>
        (await sound.read(ctx, cycle, cycle)).rows.length > 0
      const there = await Promise.all(erasure.rows.map(({ ctx, row }) => isThere(ctx, row.cycle)))
      return sound.erase({ ...erasure, rows: erasure.rows.filter((_, i) => there[i]) })
    },
  }),
  'an erasure leaves packs as they are': (sound) => ({ erase: (erasure) => sound.erase({ ...erasure, packs: [] }) }),
  'an erasure is never finished': () => ({ scrub: async () => [] }),
  'later erasures are finished, too': (sound) => ({ scrub: (family) => sound.scrub(family) }),
  'a family begins with the first epoch': (sound) => ({ create: ({ epoch: _epoch, ...rest }) => sound.create(rest) }),
  'a family begins without its list': (sound) => ({ create: ({ audit: _audit, ...rest }) => sound.create(rest) }),
  'a context begins without answers': (sound) => ({ create: ({ answers: _answers, ...rest }) => sound.create(rest) }),
  'a family arrives without what is missing': (sound) => ({
    arrive: async (family, contexts) => {
      const all = await sound.family(family)
      const some = all.map((each) => contexts.find(({ ctx }) => ctx === each.ctx) ?? { ...each, draft: undefined })
      return sound.arrive(family, some)
    },
  }),
  'a family arrives with other rows': (sound) => ({
    arrive: async (family, contexts) => {
      const all = await sound.family(family)
      const some = contexts.map((each) => ({
        ...each,
        chain: all.find(({ ctx }) => ctx === each.ctx)?.chain ?? each.chain,
      }))
      return sound.arrive(family, some)
    },
  }),
  'a family arrives with the forks that were there': (sound) => ({
    arrive: async (family, contexts) => {
      const all = await sound.family(family)
      const some = contexts.map((each) => ({ ...each, forks: all.find(({ ctx }) => ctx === each.ctx)?.forks ?? 0 }))
      return sound.arrive(family, some)
    },
  }),
  'a family is its root': (sound) => ({
    family: async (family) => (await sound.family(family)).filter(({ ctx }) => ctx === family),
  }),
  'whoever waits is given the text that was there before': (sound) => ({
    changed: async (since, every, signal) => since ?? (await sound.changed(since, every, signal)),
  }),
  'whoever waits is told of nothing where the signal was aborted': (sound) => ({
    changed: async (since, every, signal) => {
      if (signal.aborted) throw new Error('aborted')
      return sound.changed(since, every, signal)
    },
  }),
  'a save ignores the newest row': (sound) => ({ saveDraft: (save) => sound.saveDraft({ ...save, after: undefined }) }),
  'a save ignores the epoch': (sound) => ({
    saveDraft: async (save) => sound.saveDraft({ ...save, epoch: (await sound.byNumber(save.ctx))?.epoch ?? 0 }),
  }),
  'a save ignores the save before': (sound) => ({
    saveDraft: async (save) =>
      sound.saveDraft({ ...save, version: (await sound.byNumber(save.ctx))?.draft.version ?? save.version }),
  }),
  'a whole save adds a part': (sound) => ({
    saveDraft: (save) => sound.saveDraft({ ...save, isWhole: save.part === undefined }),
  }),
  'a save replaces what was saved': (sound) => ({ saveDraft: (save) => sound.saveDraft({ ...save, isWhole: true }) }),
  'a discard is forgotten': (sound) => ({
    saveDraft: async (save) => (save.part === undefined ? 'done' : sound.saveDraft(save)),
  }),
  'a commit leaves the draft': (sound) => ({
    commit: async ({ draft, ...commit }) => {
      const now = await sound.byNumber(commit.ctx)
      return draft !== undefined && now?.draft.version !== draft ? 'conflict' : sound.commit(commit)
    },
  }),
  'a commit ignores the newest save': (sound) => ({
    commit: async (commit) => {
      const now = await sound.byNumber(commit.ctx)
      return sound.commit(commit.draft === undefined ? commit : { ...commit, draft: now?.draft.version })
    },
  }),
  'a commit deletes a draft that it does not name': (sound) => ({
    commit: async (commit) => {
      const now = await sound.byNumber(commit.ctx)
      return sound.commit({ ...commit, draft: commit.draft ?? now?.draft.version })
    },
  }),
  'an erasure leaves drafts as they are': (sound) => ({ erase: (erasure) => sound.erase({ ...erasure, drafts: [] }) }),
  'an erasure ignores saves': (sound) => ({
    erase: (erasure) => sound.erase({ ...erasure, heads: erasure.heads.map(({ draft: _draft, ...head }) => head) }),
  }),
  'a family arrives without its drafts': (sound) => ({
    arrive: (family, contexts) =>
      sound.arrive(
        family,
        contexts.map(({ draft: _draft, ...each }) => each),
      ),
  }),
  'a commit ignores the hash of the row before': (sound) => ({
    commit: async (commit) => {
      const context = await sound.byNumber(commit.ctx)
      return sound.commit({ ...commit, after: context?.chain ?? commit.after })
    },
  }),
  'a commit compares the hash of the row before, and not its cycle': (sound) => ({
    commit: async (commit) => {
      const context = await sound.byNumber(commit.ctx)
      const cycle = (context?.head ?? 0) + 1
      return sound.commit({ ...commit, row: { ...commit.row, cycle } })
    },
  }),
  'a commit compares only the beginning of the hash': (sound) => ({
    commit: async (commit) => {
      const chain = (await sound.byNumber(commit.ctx))?.chain
      const isAlike = chain !== undefined && Buffer.compare(chain.subarray(0, 16), commit.after.subarray(0, 16)) === 0
      return sound.commit({ ...commit, after: isAlike ? chain : commit.after })
    },
  }),
  'a commit ignores the epoch': (sound) => ({
    commit: async (commit) => {
      const context = await sound.byNumber(commit.ctx)
      return sound.commit({ ...commit, epoch: context?.epoch ?? commit.epoch })
    },
  }),
  'a commit with a key ignores the epoch': (sound) => ({
    commit: async (commit) => {
      const context = await sound.byNumber(commit.ctx)
      return sound.commit(commit.answer === undefined ? commit : { ...commit, epoch: context?.epoch ?? commit.epoch })
    },
  }),
  'a commit looks first and writes later': (sound) => ({
    commit: async (commit) => {
      const context = await sound.byNumber(commit.ctx)
      const isNext = context?.head === commit.row.cycle - 1 && Buffer.compare(context.chain, commit.after) === 0
      await Promise.resolve()
      return isNext && context.epoch === commit.epoch ? forced(sound, commit.ctx, commit.row) : 'conflict'
    },
  }),
  'a conflict is called done': (sound) => ({
    commit: async (commit) => {
      await sound.commit(commit)
      return 'done'
    },
  }),
  'a key is answered twice': (sound) => ({
    commit: async ({ answer, ...commit }) => {
      const isAnswered = answer !== undefined && (await sound.answer(commit.ctx, answer.key)) !== undefined
      return sound.commit(isAnswered ? commit : { ...commit, answer })
    },
  }),
  'an answer is kept although its commit was refused': (sound) => {
    const kept = new Map<string, NonNullable<Awaited<ReturnType<Rows['answer']>>>>()
    return {
      commit: async (commit) => {
        if (commit.answer !== undefined) kept.set(`${commit.ctx} ${commit.answer.key}`, commit.answer)
        return sound.commit(commit)
      },
      answer: async (ctx, key) => kept.get(`${ctx} ${key}`),
    }
  },
  'keys of all contexts are one': (sound) => {
    const taken = new Set<string>()
    return {
      commit: async (commit) => {
        const key = commit.answer?.key
        if (key !== undefined && taken.has(key)) return 'conflict'
        const outcome = await sound.commit(commit)
        if (outcome === 'done' && key !== undefined) taken.add(key)
        return outcome
      },
    }
  },
  'an answer is not kept': (sound) => ({ commit: ({ answer: _answer, ...commit }) => sound.commit(commit) }),
  'a pack drops a row': (sound) => ({ pack: (ctx, pack) => sound.pack(ctx, { ...pack, from: pack.from + 1 }) }),
  'a pack is written although rows are missing': (sound) => {
    const packed: { ctx: ContextKey; from: number; to: number; body: Uint8Array }[] = []
    return {
      pack: async (ctx, pack) => {
        const before = await sound.unpacked(ctx)
        await sound.pack(ctx, pack)
        if ((await sound.unpacked(ctx)) === before) packed.push({ ctx, ...pack })
      },
      read: async (ctx, from, to) => {
        const { packs, rows } = await sound.read(ctx, from, to)
        const more = packed.filter((pack) => pack.ctx === ctx && pack.to >= from && pack.from <= to)
        return { packs: [...packs, ...more.map(({ ctx: _ctx, ...pack }) => pack)], rows }
      },
    }
  },
  'a pack leaves its rows where they were': (sound) => {
    const left: { ctx: ContextKey; row: Row }[] = []
    return {
      pack: async (ctx, pack) => {
        const { rows } = await sound.read(ctx, pack.from, pack.to)
        left.push(...rows.map((row) => ({ ctx, row })))
        await sound.pack(ctx, pack)
      },
      read: async (ctx, from, to) => {
        const { packs, rows } = await sound.read(ctx, from, to)
        const more = left.filter(({ ctx: of, row }) => of === ctx && row.cycle >= from && row.cycle <= to)
        return { packs, rows: [...rows, ...more.map(({ row }) => row)] }
      },
    }
  },
  'a read misses packs': (sound) => ({
    read: async (ctx, from, to) => ({ packs: [], rows: (await sound.read(ctx, from, to)).rows }),
  }),
  'a read misses packs that begin before it': (sound) => ({
    read: async (ctx, from, to) => {
      const { packs, rows } = await sound.read(ctx, from, to)
      return { packs: packs.filter((pack) => pack.from >= from), rows }
    },
  }),
  'a read misses packs that reach beyond it': (sound) => ({
    read: async (ctx, from, to) => {
      const { packs, rows } = await sound.read(ctx, from, to)
      return { packs: packs.filter((pack) => pack.to <= to), rows }
    },
  }),
  'a read misses its last row': (sound) => ({ read: (ctx, from, to) => sound.read(ctx, from, to - 1) }),
  'a read looks at packs, then at rows': (sound) => ({
    read: async (ctx, from, to) => {
      const { packs } = await sound.read(ctx, from, to)
      await Promise.resolve()
      return { packs, rows: (await sound.read(ctx, from, to)).rows }
    },
  }),
  'all rows count as standing alone': (sound) => ({
    unpacked: async (ctx) => {
      const context = await sound.byNumber(ctx)
      return context === undefined ? 0 : context.head - context.first + 1
    },
  }),
  'a list has the order of UTF-16': (sound) => ({
    list: async (after, limit) =>
      (await everything(sound))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .filter(({ id }) => after === undefined || id > after)
        .slice(0, limit),
  }),
  'a list has the order in which contexts were made': (sound) => ({
    list: async (after, limit) => (await sound.list(after, limit)).toSorted((a, b) => Number(a.ctx) - Number(b.ctx)),
  }),
  'a page begins with the id it should begin behind': (sound) => ({
    list: async (after, limit) => {
      const found = after === undefined ? undefined : await sound.find(after)
      return [...(found === undefined ? [] : [found]), ...(await sound.list(after, limit))].slice(0, limit)
    },
  }),
  'a list knows no limit': (sound) => ({ list: (after) => sound.list(after, 1000) }),
  'ids are cut at NUL': renaming((id) => id.split('\0')[0]!),
  'ids are normalized': renaming((id) => id.normalize('NFC')),
  'ids are compared without case': renaming((id) => id.toLowerCase()),
  'ids are trimmed': renaming((id) => id.trim()),
  'an id is taken twice': (sound) => ({
    create: async (context) => {
      const found = await sound.find(context.id)
      if (found !== undefined) await sound.delete(found.ctx, true)
      return sound.create(context)
    },
  }),
  'the fork counter is not compared': (sound) => ({
    create: async (context) => {
      const { parent } = context
      const now = parent && (await sound.byNumber(parent.ctx))
      return sound.create(now === undefined ? context : { ...context, parent: { ...parent!, forks: now.forks } })
    },
  }),
  'a fork that is refused is counted': (sound) => ({
    create: async (context) => {
      const made = await sound.create(context)
      if (made === 'exists' && context.parent !== undefined) await sound.create({ ...context, id: `${context.id} too` })
      return made
    },
  }),
  'the fork of a fork founds a family': (sound) => ({
    create: (context) => {
      const { parent } = context
      return sound.create(parent === undefined ? context : { ...context, parent: { ...parent, family: parent.ctx } })
    },
  }),
  'attempts that a context begins with are lost': (sound) => ({
    create: ({ attempts: _attempts, ...context }) => sound.create(context),
  }),
  'attempts are lost on overwriting': (sound) => ({
    writeAttempts: async (ctx, attempts) => {
      const known = new Set((await sound.attempts(ctx, 1000)).map(nameOf))
      await sound.writeAttempts(
        ctx,
        attempts.filter((attempt) => !known.has(nameOf(attempt))),
      )
    },
  }),
  'an attempt that is written again becomes the newest': (sound) => {
    const order = new Map<string, number>()
    let count = 0
    return {
      writeAttempts: async (ctx, attempts) => {
        for (const attempt of attempts) order.set(`${ctx} ${nameOf(attempt)}`, count++)
        await sound.writeAttempts(ctx, attempts)
      },
      attempts: async (ctx, limit) => {
        const placeOf = (attempt: AttemptRow): number => order.get(`${ctx} ${nameOf(attempt)}`) ?? -1
        const all = (await sound.attempts(ctx, 1000)).toSorted((a, b) => placeOf(a) - placeOf(b))
        return limit === 0 ? [] : all.slice(-limit)
      },
    }
  },
  'attempts are known by their ids alone': (sound) => ({
    writeAttempts: (ctx, attempts) =>
      sound.writeAttempts(
        ctx,
        attempts.map((attempt) => ({ ...attempt, writer: 'all' })),
      ),
  }),
  'the oldest attempts are given': (sound) => ({
    attempts: async (ctx, limit) => (await sound.attempts(ctx, 1000)).slice(0, limit),
  }),
  'attempts come newest first': (sound) => ({
    attempts: async (ctx, limit) => (await sound.attempts(ctx, limit)).toReversed(),
  }),
  'attempts are written for a context that is gone': (sound) => {
    const late: AttemptRow[] = []
    return {
      writeAttempts: async (ctx, attempts) => {
        if ((await sound.byNumber(ctx)) === undefined) late.push(...attempts)
        await sound.writeAttempts(ctx, attempts)
      },
      attempts: async (ctx, limit) => ((await sound.byNumber(ctx)) === undefined ? late : sound.attempts(ctx, limit)),
    }
  },
  'bodies are cut at NUL': (sound) => ({
    commit: (commit) => sound.commit({ ...commit, row: { ...commit.row, bodies: cutAtNul(commit.row.bodies) } }),
  }),
  'changes are kept as text': (sound) => ({
    create: (context) =>
      sound.create({ ...context, rows: context.rows.map((row) => ({ ...row, changes: asText(row.changes) })) }),
  }),
  'rows are cut at eight megabytes': (sound) => ({
    commit: (commit) =>
      sound.commit({ ...commit, row: { ...commit.row, bodies: commit.row.bodies.subarray(0, 2 ** 23) } }),
  }),
  'what comes in is not copied': (sound) => {
    const given = new Map<string, Row>()
    return {
      commit: async (commit) => {
        const outcome = await sound.commit(commit)
        if (outcome === 'done') given.set(`${commit.ctx} ${commit.row.cycle}`, commit.row)
        return outcome
      },
      read: async (ctx, from, to) => {
        const { packs, rows } = await sound.read(ctx, from, to)
        return { packs, rows: rows.map((row) => given.get(`${ctx} ${row.cycle}`) ?? row) }
      },
    }
  },
  'deleting leaves rows': (sound) => {
    const left = new Map<ContextKey, Awaited<ReturnType<Rows['read']>>>()
    return {
      delete: async (ctx, withForks) => {
        left.set(ctx, await sound.read(ctx, 0, 2 ** 30 - 1))
        return sound.delete(ctx, withForks)
      },
      read: async (ctx, from, to) =>
        (await sound.byNumber(ctx)) === undefined
          ? (left.get(ctx) ?? { packs: [], rows: [] })
          : sound.read(ctx, from, to),
    }
  },
  'deleting leaves forks without a parent': (sound) => ({
    delete: async (ctx, withForks) => {
      if (!withForks) return sound.delete(ctx, false)
      const forks = (await everything(sound)).filter(({ parent }) => parent?.ctx === ctx)
      const rest = await Promise.all(forks.slice(1).map((fork) => sound.byNumber(fork.ctx)))
      await sound.delete(ctx, true)
      for (const fork of rest) await sound.create({ id: fork!.id, packs: [], rows: [{ ...EMPTY, cycle: fork!.head }] })
      return 'deleted'
    },
  }),
  'deleting takes forks along unasked': (sound) => ({ delete: (ctx) => sound.delete(ctx, true) }),
  'deleting a fork takes it off the count': (sound) => {
    const gone = new Map<ContextKey, number>()
    const counted = (context: ContextRow | undefined): ContextRow | undefined =>
      context && { ...context, forks: context.forks - (gone.get(context.ctx) ?? 0) }
    return {
      delete: async (ctx, withForks) => {
        const parent = (await sound.byNumber(ctx))?.parent?.ctx
        if (parent !== undefined) gone.set(parent, (gone.get(parent) ?? 0) + 1)
        return sound.delete(ctx, withForks)
      },
      find: async (id) => counted(await sound.find(id)),
    }
  },
  'deleting a fork takes the pages of its family away': (sound) => ({
    delete: async (ctx, withForks) => {
      const family = (await sound.byNumber(ctx))?.family
      if (family !== undefined && family !== ctx) await sound.dropDerived(family)
      return sound.delete(ctx, withForks)
    },
  }),
  'a manifest is found only by its own cycle': (sound) => ({
    manifest: async (ctx, cycle) => {
      const found = await sound.manifest(ctx, cycle)
      return found?.cycle === cycle ? found : undefined
    },
  }),
  'a manifest of a later cycle is found': (sound) => ({
    manifest: async (ctx) => sound.manifest(ctx, 2 ** 30 - 1),
  }),
  'the first manifest of a cycle stays': (sound) => ({
    writeManifest: async (ctx, manifest, pages) => {
      const known = (await sound.manifests(ctx)).includes(manifest.cycle)
      await sound.writeManifest(ctx, known ? (await sound.manifest(ctx, manifest.cycle))! : manifest, pages)
    },
  }),
  'pages of all families are one': (sound) => ({ pages: (_family, keys) => sound.pages(1, keys) }),
  'pages are given up to a limit': (sound) => ({ pages: (family, keys) => sound.pages(family, keys.slice(0, 999)) }),
  'what is derived is left behind': () => ({ dropDerived: async () => {} }),
  'numbers are given again': (sound) => {
    // Those who ask see the number of the place in the list.
    const shift = (context: ContextRow, by: number): ContextRow => ({ ...context, ctx: Number(context.ctx) - by })
    let gone = 0
    return {
      create: async (context) => {
        const made = await sound.create(context)
        return typeof made === 'string' ? made : shift(made, gone)
      },
      delete: async (ctx, withForks) => {
        const deleted = await sound.delete(Number(ctx) + gone, withForks)
        if (deleted === 'deleted') gone++
        return deleted
      },
    }
  },
}

/** The toy database, with one of the faults or with none. */
export function plantedRows(fault?: string): Rows {
  const sound: Rows = new MemoryRows()
  const planted = fault === undefined ? {} : PLANTED[fault]!(sound)
  return new Proxy(sound, {
    get: (target, name) => {
      const own: unknown = Reflect.get(planted, name)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

const EMPTY: Row = { cycle: 0, hash: new Uint8Array(32), changes: new Uint8Array(0), bodies: new Uint8Array(0) }

function renaming(rename: (id: string) => string): Fault {
  return (sound) => ({
    find: (id) => sound.find(rename(id)),
    create: (context) => sound.create({ ...context, id: rename(context.id) }),
  })
}

/** Appends a row whatever is there. */
async function forced(sound: Rows, ctx: ContextKey, row: Row): Promise<'done' | 'conflict'> {
  const now = await sound.byNumber(ctx)
  if (now === undefined) return 'conflict'
  await sound.commit({ ctx, after: now.chain, epoch: now.epoch, row: { ...row, cycle: now.head + 1 } })
  return 'done'
}

async function everything(sound: Rows): Promise<readonly ContextRow[]> {
  return (await sound.list(undefined, 1000)).filter((row) => row.chain !== undefined)
}

function nameOf({ id, writer }: AttemptRow): string {
  return JSON.stringify([id, writer])
}

function cutAtNul(bytes: Uint8Array): Uint8Array {
  const at = bytes.indexOf(0)
  return at < 0 ? bytes : bytes.subarray(0, at)
}

function asText(bytes: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder().decode(bytes))
}
