// One program on two builds, call by call, and the shortest program that still differs.

import { isAlike, isSameRequest, sameCall } from './changes.mjs'
import { beginAgain, drawFrom, drawnSoFar } from './fixed.mjs'
import { exportsOf, hasCrossing } from './observe.mjs'
import { mutated } from './mutated.mjs'
import { callsOf, finalReads } from './resolve.mjs'
import { sceneOf } from './scene.mjs'
import { show, showError } from './show.mjs'
import { Side } from './side.mjs'

/**
 * @typedef {import('./program.mjs').Program} Program
 * @typedef {Readonly<{ where: string, before: string, after: string, calls: readonly string[] }>} Difference
 * @typedef {{ programs: number, calls: number, compared: number, refused: number, excluded: number }} Counts
 */

/** Calls that change no tree. */
const READS = new Set([
  'read',
  'request',
  'mutated',
  'replay',
  'storeRead',
  'attempt',
  'end',
  'hold',
  'release',
  'load',
  'unload',
])

/**
 * The first difference of a program, if there is one.
 * @param {Program} program
 * @param {readonly [object, object]} builds
 * @param {Readonly<{ steps: string, changes: import('./changes.mjs').Changes }>} settings
 * @param {Counts} counts
 * @returns {Promise<Difference | undefined>}
 */
export async function play(program, builds, settings, counts) {
  beginAgain()
  const { changes } = settings
  const sides = builds.map((build, at) => new Side(build, program, { changes, isSecond: at === 1 }))
  const drawn = [0, 0]
  const calls = []
  const earlier = []
  counts.programs++
  /** @template T @param {(side: Side) => Promise<T>} run @returns {Promise<[T, T]>} */
  const both = async (run) => {
    const results = []
    for (const [at, side] of sides.entries()) {
      drawFrom(drawn[at])
      results.push(await run(side))
      drawn[at] = drawnSoFar()
    }
    return /** @type {[any, any]} */ (results)
  }
  let isUneven = false
  const compare = (where, [before, after], others = []) => {
    counts.compared++
    if (before.startsWith('error ')) counts.refused++
    if (before === after) return undefined
    const seen = /** @type {const} */ ([
      { ...others[0], text: before },
      { ...others[1], text: after },
    ])
    if (!isAlike(where, seen, isUneven, changes)) return { where, before, after, calls }
    isUneven = true
    return undefined
  }
  const skips = (side, ctx, lens, format, options) => {
    const exported = () => exportsOf(ctx, lens ?? 'preview')
    const isSame = isSameRequest(format, options, exported, changes)
    if (isSame && (settings.steps === 'all' || !hasCrossing(ctx, lens))) return false
    if (side === sides[0]) counts.excluded++
    return true
  }
  try {
    const begun = await both((side) => begin(side))
    calls.push(`begin ${show(program.start)}`)
    let found = compare('the beginning', begun)
    if (found !== undefined || begun[0].startsWith('error ')) return found
    let working = stateOf(sides[0])
    let scene = sceneAt(sides[0], working, earlier)
    for (const step of program.steps) {
      if (scene.text !== working) scene = sceneAt(sides[0], working, earlier, scene)
      for (const call of callsOf(step, scene)) {
        const same = sameCall(call, scene, program, changes)
        if (same === undefined) continue
        const ready = readied(same, sides[0], changes)
        if (isRequest(ready) && skips(sides[0], sides[0].ctx, lensOf(ready), ready.format, ready.options)) continue
        counts.calls++
        calls.push(show(ready))
        found = compare(
          `call ${calls.length}: ${ready.do}${ready.method === undefined ? '' : ` ${ready.method}`}${ready.name === undefined ? '' : ` ${ready.name}`}`,
          await both((side) => side.run(ready)),
        )
        if (found !== undefined) return found
        if (READS.has(ready.do)) continue
        const states = await both(async (side) => stateOf(side))
        found = compare(`the open cycle after call ${calls.length}`, states)
        if (found !== undefined) return found
        working = states[0]
      }
    }
    const plan = {
      ...finalReads(program.seesSeed, sceneAt(sides[0], working, earlier, scene)),
      seed: program.seesSeed,
      skips,
    }
    const [before, after] = await both((side) => seenOf(side, plan))
    for (const [at, [name, value, other]] of before.entries()) {
      const same = after[at]?.[0] === name ? after[at] : [name, `nothing; ${after[at]?.[0]} instead`]
      found = compare(name, [value, same[1]], [other, same[2]])
      if (found !== undefined) return found
    }
    return before.length === after.length
      ? undefined
      : { where: 'what is seen', before: String(before.length), after: String(after.length), calls }
  } finally {
    for (const side of sides) await side.end()
  }
}

/** The final observations of a side; a failure counts as one of them. */
async function seenOf(side, plan) {
  const parts = []
  try {
    await side.seen(plan, (...part) => parts.push(part))
  } catch (error) {
    parts.push(['what is seen', showError(error)])
  }
  return parts
}

async function begin(side) {
  try {
    await side.begin()
    return stateOf(side)
  } catch (error) {
    return showError(error)
  }
}

function stateOf({ ctx }) {
  try {
    return exportsOf(ctx, 'working')
  } catch (error) {
    return showError(error)
  }
}

/** The scene of a tree; ids that have left it since the scene before are kept in `earlier`, since later steps still ask about them. */
function sceneAt({ ctx }, working, earlier, before) {
  const cycles = ctx.snapshots().map(({ cycle }) => cycle)
  const scene = sceneOf(working, { dialect: ctx.dialect, cycles, earlier })
  const there = new Set(scene.ids)
  for (const id of before?.ids ?? []) if (!there.has(id) && earlier.length < 50) earlier.push(id)
  return scene
}

/** A call with what it takes from the tree of the first build. */
function readied(call, side, changes) {
  if (call.do !== 'mutate') return call
  try {
    return { do: 'mutated', text: mutated(call.seed, exportsOf(side.ctx, call.lens), changes) }
  } catch {
    return { do: 'mutated', text: '{}' }
  }
}

/** True for calls that render a provider's request. */
function isRequest({ do: kind, name, args, input }) {
  if (kind === 'request') return true
  if (kind === 'attempt') return input.adapter !== undefined
  return (
    kind === 'read' && ((name === 'prefix' && args[2] !== undefined) || (name === 'tokens' && args[2] !== undefined))
  )
}

function lensOf({ options, input, args }) {
  return options?.lens ?? input?.lens ?? args?.[0]
}

/**
 * Takes steps out as long as the program still differs.
 * @param {Program} program
 * @param {Difference} found
 * @param {(program: Program) => Promise<Difference | undefined>} differs
 * @returns {Promise<Readonly<{ program: Program, difference: Difference }>>}
 */
export async function shrink(program, found, differs) {
  let difference = await differs(program)
  if (difference === undefined)
    return { program, difference: { ...found, where: `${found.where} (not when it is played again)` } }
  let left = program
  for (let size = Math.ceil(program.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.steps.length;) {
      const shorter = { ...left, steps: left.steps.toSpliced(at, size) }
      const still = await differs(shorter)
      if (still === undefined) at += size
      else {
        left = shorter
        difference = still
      }
    }
  }
  return { program: left, difference }
}
