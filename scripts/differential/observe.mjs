// Everything that the public calls of a context show.

import { causesByContainer, samePast, sameRefusal, sameWarnings, unchanged } from './changes.mjs'
import { Random } from './random.mjs'
import { crossesTurns } from './scene.mjs'
import { omit, show, showError, without } from './show.mjs'
import { FORMATS } from './talks.mjs'

const decoder = new TextDecoder()

export function exportsOf(ctx, lens) {
  return decoder.decode(ctx.export(lens))
}

/** The same, or how the call was refused. */
function tried(run, changes) {
  try {
    return show(run())
  } catch (error) {
    return showError(sameRefusal(error, changes))
  }
}

/**
 * Gives all of a context to `add`, part by part.
 * @param {Readonly<{ name: string, seed: number, selectors: readonly string[], ids: readonly string[], crossing: ReadonlySet<string> | undefined }>} plan
 */
export async function observe(side, ctx, plan, add) {
  const { name } = plan
  const see = (what, run) => add(`${name}: ${what}`, tried(run, side.changes))
  const cycles = ctx.snapshots().map(({ cycle }) => cycle)
  const lenses = [...fewOf(cycles, plan.seed).map((cycle) => `@c${cycle}`), 'working', 'preview']
  /** With another value of it, which is compared if the first differs. */
  const seeBoth = (what, run, otherOf, onlyAfter = false) => {
    let value
    const text = tried(() => (value = run()), side.changes)
    const other = value && otherOf(value)
    add(`${name}: ${what}`, text, other === undefined ? undefined : { other: show(other), onlyAfter })
  }
  const withoutCauses = (value) => unchanged('causes', value, side.changes)
  see('snapshots', () => ctx.snapshots())
  seeBoth(
    'past',
    () => samePast(ctx.past, side.changes),
    () => samePast(withoutCauses(ctx.past), side.changes),
  )
  see('operations', () => ctx.operations())
  see('attempts', () => unchanged('attempts', ctx.attempts(), side.changes))
  see('warnings', () => without(sameWarnings(ctx.warnings, side.changes), 'message'))
  see('cycle', () => [ctx.cycle, ctx.id, ctx.dialect])
  const r = new Random(plan.seed)
  const one = r.pick(lenses)
  for (const lens of plan.isBrief ? [lenses[0], 'working', one] : lenses) {
    see(`export ${lens}`, () => exportsOf(ctx, lens))
    see(`threadBytes ${lens}`, () => ctx.threadBytes(lens))
    if (lens !== 'working') see(`receipt ${lens}`, () => [ctx.snapshot(lens).receipt, ctx.snapshot(lens).schedules])
  }
  see(`referenceBytes ${one}`, () => ctx.referenceBytes(one))
  if (plan.isBrief) return
  if (r.chance(20)) see('toJSON', () => ctx.toJSON())
  const some = () => r.pick(lenses)
  for (const lens of ['preview', some()]) {
    see(`thread ${lens}`, () => ctx.thread(lens))
    see(`threadMap ${lens}`, () => ctx.threadMap(lens))
    for (const by of [undefined, r.pick(['region', 'depth', 'role', 'key', 'node'])])
      see(`tokens ${lens} by ${by}`, () => ctx.tokens(lens, { by }))
  }
  const pairs = [
    [lenses[0], 'working'],
    ['@t0', 'preview'],
    [some(), r.chance(50) ? 'preview' : some()],
  ]
  for (const [a, b] of pairs) {
    see(`diff ${a} ${b}`, () => ctx.diff(a, b))
    seeBoth(
      `diffDetailed ${a} ${b}`,
      () => ctx.diffDetailed(a, b),
      (diff) => causesByContainer(diff, side.isSecond, side.changes),
    )
    see(`prefix ${a} ${b}`, () => prefixOf(ctx.prefix(a, b)))
  }
  for (const id of plan.ids) {
    const lens = r.chance(60) ? 'working' : some()
    const explain = () => unchanged('explain', omit(ctx.explain(id, lens), 'sentences'), side.changes)
    seeBoth(`explain ${id} ${lens}`, explain, withoutCauses, true)
    seeBoth(`life ${id}`, () => ctx.life(id), withoutCauses, true)
    see(`place ${id} ${lens}`, () => [ctx.node(id, lens), ctx.threadPlace(id, lens)])
    see(`coordinate ${id} ${lens}`, () => ctx.coordinate(id, lens))
  }
  for (const selector of plan.selectors) {
    see(`select ${selector}`, () => ctx.select(selector))
    see(`count ${selector}`, () => ctx.count(selector))
  }
  for (const { attempt_id: id } of ctx.attempts().slice(0, 3)) {
    see(`requestOf ${id}`, () => ctx.requestOf(id))
    see(`thread of ${id}`, () => [ctx.threadBytes(id), ctx.tokens(id)])
    see(`diff of ${id}`, () => ctx.diffDetailed(id, 'preview'))
  }
  const first = r.below(FORMATS.length)
  for (const format of [FORMATS[first], FORMATS[(first + 1) % FORMATS.length], FORMATS[(first + 3) % FORMATS.length]]) {
    for (const [lens, options] of r.chance(70) ? [['preview', {}]] : [[some(), { repair: r.chance(50) }]]) {
      if (plan.skips(side, ctx, lens, format, options)) continue
      see(`request ${format} ${lens} ${show(options)}`, () => side.request(ctx, format, { lens, ...options }))
    }
  }
  if (r.chance(50)) return
  see('import of export', () => {
    const again = side.build.importSnapshot(ctx.export('@t0'), side.options({ dialect: undefined, history: undefined }))
    return [exportsOf(again, 'working'), again.threadBytes(), exportsOf(again, '@t0') === exportsOf(ctx, '@t0')]
  })
}

/** Of a long history the ends, and some in between. */
function fewOf(cycles, seed) {
  if (cycles.length <= 12) return cycles
  const r = new Random(seed)
  return cycles.filter((_, at) => at < 3 || at >= cycles.length - 2 || r.below(cycles.length) < 4)
}

/** True if the tree of this lens has a call and a result in different turns. */
export function hasCrossing(ctx, lens) {
  try {
    return crossesTurns(exportsOf(ctx, lens ?? 'preview'))
  } catch {
    return false
  }
}

/** The cause of a difference is a sentence. */
function prefixOf({ first, ...rest }) {
  return { ...rest, first: first === undefined ? undefined : omit(first, 'cause') }
}

/** One read in the midst of a program. */
export function readOne(side, { name, args }) {
  const { ctx, build } = side
  switch (name) {
    case 'iterate':
      return [...ctx.iterate(...args)]
    case 'explain':
      return unchanged('explain', omit(ctx.explain(...args), 'sentences'), side.changes)
    case 'prefix':
      return prefixOf(ctx.prefix(args[0], args[1], args[2] && { for: build.adapters[args[2]].to }))
    case 'tokens':
      return ctx.tokens(args[0], { by: args[1], ...(args[2] === undefined ? {} : { for: build.adapters[args[2]].to }) })
    case 'placement':
      return without(build.lintPlacement(ctx, { last: args[0] }), 'text')
    case 'parse':
      return build.parseSelector(args[0], { dialect: args[1] })
    case 'format':
      return [
        build.formatSelector(build.parseSelector(args[0], { dialect: args[1] })),
        build.normalizeSelector(args[0], { dialect: args[1] }),
      ]
    case 'lint':
      return without(build.lintSelector(args[0], { dialect: args[1] }).diagnostics, 'message', 'text', 'hint')
    case 'range':
      return ctx.select(...args)
    case 'estimate':
      return build.tokens.estimate(args[0])
    case 'snapshot':
      return [ctx.snapshot(args[0]).select(args[1]), ctx.snapshot(args[0]).nodes(args[1])]
    default:
      return ctx[name](...args)
  }
}
