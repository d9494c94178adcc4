// The options of every edit: a dry run, the cycle that it builds on, a key that makes it happen once.

import { field } from '../api/index.js'
import { fieldOption } from './field-options.js'
import type { OptionSpec } from './spec.js'

export const EDIT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--dry-run', about: 'shows what it would change, and changes nothing' },
  { ...fieldOption('base', field.READING.base, 'cycle'), about: 'only if that is still the newest cycle' },
  { flags: '--once <key>', about: 'a key for this commit: the same key again is answered, not committed again' },
]

export const REGION_OPTION: OptionSpec = { flags: '--in-system', about: 'in the system region' }

/** The calls of `add`, each with its text. */
export const ROLES = ['user', 'assistant', 'tool', 'pre', 'post', 'system'] as const

type Role = (typeof ROLES)[number]

export const ROLE_OPTIONS: readonly OptionSpec[] = ROLES.map((op) => ({
  flags: `--${op} <text>`,
  about: `${aboutRole(op)}; - is standard input`,
}))

function aboutRole(op: Role): string {
  if (op === 'pre' || op === 'post') return `a context block ${op === 'pre' ? 'before' : 'after'} the turn`
  return op === 'system' ? 'a block in the system region' : `a block of the ${op === 'tool' ? 'tools' : op}`
}
