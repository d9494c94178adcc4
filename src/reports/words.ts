// Contexts in words, for String and console.log.

import { countText, oneLine, type Dialect } from '../core/index.js'
import { outlineText } from './outline.js'
import type { View } from '../timeline/index.js'

type About = Readonly<{ id: string; dialect: Dialect; cycle: number; snapshots: number }>

/** The context in one line with the size of each region, then the working state. */
export function contextText({ id, dialect, cycle, snapshots }: About, working: View): string {
  const regions = working.tree.regions.map(
    ({ record, children }) => `${record.nodeType} ${countText(children.count, 'node')}`,
  )
  const past = snapshots === 0 ? 'nothing committed yet' : countText(snapshots, 'snapshot')
  const head = `Context ${oneLine(id)} (dialect ${dialect}): cycle ${cycle} is open, ${past}; ${regions.join(', ')}`
  return `${head}\n${outlineText(working)}`
}
