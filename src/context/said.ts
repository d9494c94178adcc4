// Checks of calls whose content comes first: a message in the place of the content, and roles that no provider has.

import { invalid, isRecord, short, suggestNames } from '../errors/index.js'
import type { Warning } from '../core/index.js'
import type { Edit } from '../edit/index.js'

export type SayingEdit = Extract<Edit, { op: 'user' | 'assistant' | 'tool' | 'pre' | 'post' | 'add' }>

/** The roles that requests know, and the other names that are read as one of them. */
const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'model', 'function']
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['bot', 'assistant'],
])

/** Refuses `add({ role: 'user', content: 'hi' })`, which would send the object as a text. */
export function checkSaid({ op, content }: SayingEdit): void {
  if (!isRecord(content) || Object.keys(content).length !== 2 || !Object.hasOwn(content, 'content')) return
  const role = content['role']
  if (typeof role !== 'string' || !ROLES.includes(role)) return
  const way = ['user', 'assistant', 'tool'].includes(role) ? `ctx.${role}(…)` : `ctx.add(…, { role: '${role}' })`
  throw invalid('content', `${op}() takes the content first, not a message; write ${way} with the content alone.`)
}

/** The warning of a role that requests send as the user's. */
export function oddRole({ header }: SayingEdit): Warning | undefined {
  const { role } = (header ?? {}) as Readonly<{ role?: unknown }>
  if (typeof role !== 'string' || ROLES.includes(role)) return undefined
  const near = ALIASES.get(role) ?? suggestNames(role, ROLES)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  const message = `Providers have no role ${short(role)}, so requests send it as the user's.${hint}`
  return { message, details: { kind: 'unknown-role', role: role.slice(0, 200) } }
}
