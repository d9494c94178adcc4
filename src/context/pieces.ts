// Exports that are too large to write or to read in one go: in pieces, between which other work has its turn.

import { asCall, describe, invalid, PactError } from '../errors/index.js'
import type { Lens } from '../core/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { Snapshot } from './snapshot.js'

/** Pieces of a document, all of them text or all of them bytes. */
export type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

/**
 * The text of `ctx.export(lens)` in pieces of some 64 KB, written on demand; all of it is ASCII. Edits in between change nothing:
 * the pieces are of the tree at the time of the call.
 */
export function exportChunks(ctx: AnyContext, lens?: Lens): Generator<string, void, undefined> {
  return asCall(exportChunks, () => {
    if (ctx instanceof ContextEdits) return Snapshot.exportPieces(ctx.snapshot(lens))
    throw invalid('ctx', `exportChunks takes a context, not ${describe(ctx)}.`)
  })
}

/** True for pieces, false for a document in one. */
export function isPieces(input: unknown): input is Pieces {
  if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input)) return false
  return Symbol.asyncIterator in input || Symbol.iterator in input
}

/** Puts the pieces of a document together. */
export async function gather(pieces: Pieces): Promise<string | Uint8Array> {
  const read: unknown[] = []
  try {
    for await (const piece of pieces) read.push(piece)
  } catch (cause) {
    throw new PactError('E_SNAPSHOT_INVALID', 'The pieces of the snapshot cannot be read.', {}, { cause })
  }
  if (read.every((piece) => typeof piece === 'string')) return read.join('')
  const other = read.findIndex((piece) => !(piece instanceof Uint8Array))
  if (other < 0) return joined(read as readonly Uint8Array[])
  const message = `Piece ${other} of the snapshot is ${describe(read[other])}; give pieces of text only, or of bytes only.`
  throw new PactError('E_SNAPSHOT_INVALID', message, { piece: other })
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
