// What stands in the columns of PostgreSQL, both ways. A context is known by two times sixteen bytes: those of its family, which are
// those of the context that all come from, and its own.

import type { Answer, ContextKey, ContextRow } from '../rows.js'
import type { Cells } from './driver.js'

export type { Cells }

export type Place = Readonly<{ family: Uint8Array; context: Uint8Array }>

export function keyOf(family: Uint8Array, context: Uint8Array): string {
  const [of, own] = [hexOf(family), hexOf(context)]
  return of === own ? own : `${of}-${own}`
}

export function partsOf(key: ContextKey): Place {
  const [family = '', context = family] = String(key).split('-')
  return { family: keyBytes(family), context: keyBytes(context) }
}

export function contextRow(cells: Cells): ContextRow {
  const { family, context, id, parent, base, first, head, chain, forks, epoch } = cells as {
    family: Uint8Array
    context: Uint8Array
    id: Uint8Array
    parent: Uint8Array | null
    base: number | null
    first: number
    head: number
    chain: Uint8Array
    forks: number
    epoch: number
  }
  return {
    ctx: keyOf(family, context),
    id: textOf(id),
    family: keyOf(family, family),
    parent: parent === null ? undefined : { ctx: keyOf(family, parent), cycle: base! },
    forks,
    epoch,
    first,
    head,
    chain,
  }
}

export function answerOf(cells: Cells): Answer {
  const { key, cycle, digest, answer } = cells as {
    key: Uint8Array
    cycle: number
    digest: Uint8Array
    answer: Uint8Array
  }
  return { key: textOf(key), cycle, digest, answer }
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

export function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
