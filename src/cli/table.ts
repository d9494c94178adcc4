// Every command of pctx, in the order of its help.

import type { CommandSpec } from './spec.js'
import { CARING } from './table-care.js'
import { EDITING } from './table-edit.js'
import { LOOKING } from './table-look.js'

export const COMMANDS: readonly CommandSpec[] = [
  ...LOOKING.map((spec) => ({ ...spec, reads: true })),
  ...EDITING,
  ...CARING,
]
