// The live tree at some cycles, as a manifest and pages: what a context is opened from, so that this costs what is asked for
// and not the length of its past. All of it is made from rows; where a part is missing, rows serve as well.

import { PactError } from '../errors/index.js'
import { decodeManifest, encodeManifest } from '../codec/index.js'
import type { Manifest } from '../core/index.js'
import { manifestOf, type Parts } from '../context/index.js'
import { pageLevels, type PageBook, type ReadPage } from '../timeline/index.js'
import { compressed, decompressed } from './compressed.js'
import type { Known, Stretch } from './past.js'
import type { ContextKey, ContextRow, ManifestRow, Rows } from './rows.js'
import { sealed, unsealed } from './sealed.js'

/** A manifest with its pages at hand, and whose snapshot it is. */
export type Found = Readonly<{ manifest: Manifest; page: ReadPage; known: Known }>

/** The newest manifest of a cycle or before it that is there with all its pages. */
export async function findManifest(
  rows: Rows,
  stretches: readonly Stretch[],
  cycle: number,
): Promise<Found | undefined> {
  for (let at = stretches.length - 1; at >= 0; at--) {
    const { context, to } = stretches[at]!
    let upTo = Math.min(cycle, to)
    while (upTo >= context.first) {
      const row = await rows.manifest(context.ctx, upTo)
      if (row === undefined) break
      const found = await opened(rows, context.family, row)
      if (found !== undefined) return { ...found, known: { stretch: at, cycle: row.cycle } }
      upTo = row.cycle - 1
    }
  }
  return undefined
}

/** Undefined where something is missing or cannot be read: then there may be an older one. */
async function opened(
  rows: Rows,
  family: ContextKey,
  { cycle, body }: ManifestRow,
): Promise<Omit<Found, 'known'> | undefined> {
  const bodies = new Map<string, Uint8Array>()
  const page: ReadPage = (key) => pageOf(bodies.get(key), key)
  try {
    const manifest = decodeManifest(pageOf(unsealed(body, String(cycle)), 'manifest'))
    if (manifest.snapshot === undefined) return undefined
    for (const { keys } of pageLevels(manifest.snapshot, page)) {
      for (const each of await rows.pages(family, keys)) bodies.set(each.key, each.body)
      if (keys.some((key) => !bodies.has(key))) return undefined
    }
    return { manifest, page }
  } catch (error) {
    if (PactError.is(error) && (error.code === 'E_SNAPSHOT_INVALID' || error.details['page'] !== undefined))
      return undefined
    throw error
  }
}

/** Writes the newest snapshot, as far as it is not written yet. */
export async function writeManifest(
  rows: Rows,
  { ctx, epoch }: Pick<ContextRow, 'ctx' | 'epoch'>,
  parts: Parts,
  book: PageBook,
): Promise<number> {
  const { newest } = parts.timeline
  const body = sealed(compressed(encodeManifest(manifestOf(parts, newest, book))), String(newest))
  const pages = Array.from(book.fresh, ([key, bytes]) => ({ key, body: compressed(bytes) }))
  await rows.writeManifest(ctx, { cycle: newest!, body }, pages, epoch)
  book.taken(pages.map(({ key }) => key))
  return newest!
}

function pageOf(bytes: Uint8Array | undefined, page: string): Uint8Array {
  try {
    if (bytes !== undefined) return decompressed(bytes)
  } catch {
    // Told below, as any other damage.
  }
  throw damagedPage(page)
}

function damagedPage(page: string): PactError {
  const message = `The page ${page} is missing or damaged; fsck with repair makes it again from what was written.`
  return new PactError('E_STORE', message, { page, outcome: 'failed', reason: 'damaged' })
}
