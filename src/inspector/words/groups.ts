// The tokens of a call by role or by tool: the groups of a picture, and their shades. A shade belongs to a group as long as the picture is shown, so
// that the eye can follow a group from call to call.

import type { Figures, Timeline } from '../../api/index.js'
import type { By } from '../state/link.js'
import { count, percent } from './numbers.js'

/** The classes of the shades. Green is for tools; pale is for small nodes that share a bar. */
export type Shade = 'grey' | 'blue' | 'sky' | 'green' | 'mint' | 'purple' | 'pale'

export type Group = NonNullable<Figures['groups']>[number]

/** The shade of each group, in the order of a column from bottom to top. */
export type Shading = Readonly<{ by: By; shades: ReadonlyMap<string, Shade> }>

export type Slice = Readonly<{ shade: Shade; tokens: number; isSame: boolean }>

const ROLES: readonly (readonly [string, Shade])[] = [
  ['system', 'grey'],
  ['user', 'blue'],
  ['assistant', 'sky'],
  ['tool', 'green'],
]
/** The shades of the four tools with the most tokens. */
const TOOLS: readonly Shade[] = ['green', 'mint', 'blue', 'sky']

/** Roles have their own shades; tools have one by their rank in all columns that are known. */
export function shadingOf(by: By, columns: readonly (Pick<Figures, 'groups'> | undefined)[]): Shading {
  if (by === 'role') return { by, shades: new Map(ROLES) }
  const most = new Map<string, number>()
  for (const { name, tokens } of columns.flatMap((each) => each?.groups ?? [])) {
    most.set(name, Math.max(most.get(name) ?? 0, tokens))
  }
  most.delete('')
  const names = [...most].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name)
  const ranked = names.slice(0, TOOLS.length).map((name, i) => [name, TOOLS[i]!] as const)
  return { by, shades: new Map([['', 'grey'], ...ranked]) }
}

export function shadeOf({ shades }: Shading, name: string): Shade {
  return shades.get(name) ?? 'purple'
}

/** The name of a group as people read it. */
export function groupName(by: By, name: string): string {
  return name !== '' ? name : by === 'role' ? 'no role' : 'no tool'
}

/** The shades from bottom to top: those of roles, or of tools by rank. */
function orderOf({ by }: Shading): readonly Shade[] {
  return by === 'role' ? ['grey', 'blue', 'sky', 'green', 'purple'] : ['grey', ...TOOLS, 'purple']
}

/** From bottom to top: what the call before had, then what is new; each in the order of the shades. */
export function slicesOf(shading: Shading, groups: readonly Group[]): readonly Slice[] {
  const sums = new Map<Shade, { repeated: number; tokens: number }>()
  for (const { name, tokens, repeated } of groups) {
    const shade = shadeOf(shading, name)
    const sum = sums.get(shade) ?? { repeated: 0, tokens: 0 }
    sums.set(shade, { repeated: sum.repeated + repeated, tokens: sum.tokens + tokens })
  }
  const shades = orderOf(shading).filter((shade) => sums.has(shade))
  return [
    ...shades.map((shade) => ({ shade, tokens: sums.get(shade)!.repeated, isSame: true })),
    ...shades.map((shade) => ({ shade, tokens: sums.get(shade)!.tokens - sums.get(shade)!.repeated, isSame: false })),
  ].filter(({ tokens }) => tokens > 0)
}

/** The groups of a column in words, the largest first. */
export function groupWords(by: By, groups: readonly Group[], tokens: number): string {
  const named = groups
    .slice(0, 5)
    .map((each) => `${groupName(by, each.name)} ${count(each.tokens)} (${percent(each.tokens / Math.max(1, tokens))})`)
  return [...named, ...(groups.length > 5 ? [`${groups.length - 5} more`] : [])].join(', ')
}

/** The groups of the picture in the order of their shades, each with those that share its shade. */
export function legendOf(
  shading: Shading,
  names: readonly string[],
): readonly Readonly<{ shade: Shade; names: readonly string[] }>[] {
  return orderOf(shading)
    .map((shade) => ({ shade, names: names.filter((name) => shadeOf(shading, name) === shade) }))
    .filter(({ names }) => names.length > 0)
}

export type Limit = Timeline['limits'][number]

/** The height of a limit in a column: a limit of the conversation does not count the system, which is below it. */
export function limitHeight({ rule, limit }: Limit, { runs }: Pick<Figures, 'runs'>): number {
  const sys = runs.reduce((sum, { part, tokens }) => sum + (part === 'sys' ? tokens : 0), 0)
  return rule.endsWith('^seq') || rule.endsWith('^ah') ? limit + sys : limit
}
