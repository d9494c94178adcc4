// What every edit takes: a dry run, the cycle that it is meant for, a key that makes it happen once.

import { whole } from './given.js'
import type { OptionSpec } from './spec.js'

export const EDIT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--dry-run', about: 'shows what it would change, and changes nothing' },
  { flags: '--base <cycle>', about: 'only where that is still the newest cycle', parse: whole(0) },
  { flags: '--once <key>', about: 'a name for this commit: the same again is answered, not done again' },
]

export const REGION_OPTION: OptionSpec = { flags: '--in-system', about: 'in the system region' }

/** The calls of `add`, each with the text that it says. */
export const ROLES = ['user', 'assistant', 'tool', 'pre', 'post', 'system'] as const

type Role = (typeof ROLES)[number]

export const ROLE_OPTIONS: readonly OptionSpec[] = ROLES.map((op) => ({
  flags: `--${op} <text>`,
  about: `${aboutRole(op)}; - is standard input`,
}))

function aboutRole(op: Role): string {
  if (op === 'pre' || op === 'post') return `a context block ${op === 'pre' ? 'before' : 'behind'} the turn`
  return op === 'system' ? 'a block in the system region' : `a block of the ${op === 'tool' ? 'tools' : op}`
}
