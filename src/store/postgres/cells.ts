// Converts values to and from PostgreSQL columns. The key of a context is two 16-byte ids: that of its family, which is
// the id of the root context, and its own.

import type { Answer, ContextKey, ContextRow } from '../rows.js'
import type { Cells } from './driver.js'

export type { Cells }

export type Place = Readonly<{ family: Uint8Array; context: Uint8Array }>

export function keyOf(family: Uint8Array, context: Uint8Array): string {
  const [of, own] = [hexOf(family), hexOf(context)]
  return of === own ? own : `${of}-${own}`
}

export function placeOf(key: ContextKey): Place {
  // Commits repeat the same key.
  if (asked?.key === key) return asked.place
  const [of = '', own] = String(key).split('-')
  const family = keyBytes(of)
  const place = { family, context: own === undefined ? family : keyBytes(own) }
  asked = { key, place }
  return place
}

let asked: Readonly<{ key: ContextKey; place: Place }> | undefined

export function contextRow(cells: Cells): ContextRow {
  const [family, context, id, chain] = [...bytesIn(cells, 'family', 'context', 'id', 'chain')]
  const parent = cells['parent'] as Uint8Array | null
  return {
    ctx: keyOf(family!, context!),
    id: textOf(id!),
    family: keyOf(family!, family!),
    parent: parent === null ? undefined : { ctx: keyOf(family!, parent), cycle: numberIn(cells, 'base') },
    forks: numberIn(cells, 'forks'),
    epoch: numberIn(cells, 'epoch'),
    first: numberIn(cells, 'first'),
    head: numberIn(cells, 'head'),
    chain: chain!,
    seal: (cells['seal'] as Uint8Array | null) ?? undefined,
    answers: countIn(cells, 'answers'),
    attempts: countIn(cells, 'attempts_kept'),
    draft: { version: countIn(cells, 'draft') ?? 0, parts: countIn(cells, 'saves') ?? 0 },
  }
}

export function answerOf(cells: Cells): Answer {
  const [key, digest, answer] = bytesIn(cells, 'key', 'digest', 'answer')
  return { key: textOf(key!), cycle: numberIn(cells, 'cycle'), digest: digest!, answer: answer! }
}

export function bytesIn(cells: Cells, ...names: readonly string[]): Uint8Array[] {
  return names.map((name) => cells[name] as Uint8Array)
}

/** Undefined for rows of older versions, which have no count. */
function countIn(cells: Cells, name: string): number | undefined {
  return (cells[name] ?? undefined) === undefined ? undefined : numberIn(cells, name)
}

/** CockroachDB has 8-byte integers, which the driver returns as strings. */
export function numberIn(cells: Cells, name: string): number {
  return Number(cells[name])
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
