// Manifests: the live tree at some cycles, stored as a manifest and pages. Opening a context from one costs what is
// read and not the length of its history. Everything here is derived from rows; if a part is missing, rows are used
// instead.

import { decodeManifest, encodeManifest } from '../codec/index.js'
import { manifestOf, type Parts } from '../context/persistence.js'
import type { Manifest } from '../core/index.js'
import { PactError } from '../errors/index.js'
import {
  pageLevels,
  PageBook,
  timelineFromPages,
  TreeComparer,
  type ReadPage,
  type Timeline,
} from '../timeline/index.js'
import { compressed, decompressed } from './compressed.js'
import { rowAt, REPLAYED_SNAPSHOTS, type LoadedSnapshot, type LineagePart } from './lineage.js'
import type { ContextRow, ManifestRow, Row, Rows } from './rows.js'
import { sealedFor, unsealedFor } from './seal.js'

/** A manifest with loaded pages, and its snapshot's position in the lineage. */
export type LoadedManifest = Readonly<{ manifest: Manifest; page: ReadPage; known: LoadedSnapshot }>

type PageSet = Omit<LoadedManifest, 'known'> & Readonly<{ bodies: ReadonlyMap<string, Uint8Array> }>

/** The newest complete manifest at or before a cycle. */
export async function findManifest(
  rows: Rows,
  lineage: readonly LineagePart[],
  cycle: number,
): Promise<LoadedManifest | undefined> {
  for (let at = lineage.length - 1; at >= 0; at--) {
    const { context, to } = lineage[at]!
    let upTo = Math.min(cycle, to)
    while (upTo >= context.first) {
      const row = await rows.manifest(context.ctx, upTo)
      if (row === undefined) break
      const found = await readManifest(rows, context, row)
      if (found !== undefined) return { ...found, known: { part: at, cycle: row.cycle } }
      upTo = row.cycle - 1
    }
  }
  return undefined
}

/**
 * Reads a manifest. Undefined if a part is missing, damaged or does not belong to this row; then an older one may do.
 */
async function readManifest(
  rows: Rows,
  context: ContextRow,
  { cycle, body }: ManifestRow,
): Promise<PageSet | undefined> {
  const { ctx, family } = context
  const bodies = new Map<string, Uint8Array>()
  const page: ReadPage = (key) => pageOf(bodies.get(key), key)
  try {
    const bound = boundTo(context, cycle, await rowAt(rows, ctx, cycle))
    const manifest = decodeManifest(pageOf(bound && unsealedFor(context, body, ...bound), 'manifest'))
    if (manifest.snapshot === undefined) return undefined
    for (const { keys } of pageLevels(manifest.snapshot, page)) {
      for (const each of await rows.pages(family, keys)) bodies.set(each.key, each.body)
      if (keys.some((key) => !bodies.has(key))) return undefined
    }
    return { manifest, page, bodies }
  } catch (error) {
    if (PactError.is(error) && (error.code === 'E_SNAPSHOT_INVALID' || error.details['page'] !== undefined))
      return undefined
    throw error
  }
}

/** Copies the newest manifest of a context and its pages, if any, to another database. */
export async function copyManifest(from: Rows, context: ContextRow, to: Rows, copy: ContextRow): Promise<void> {
  const row = await from.manifest(context.ctx, copy.head)
  const found = row && (await readManifest(from, context, row))
  const pages = Array.from(found?.bodies ?? [], ([key, body]) => ({ key, body }))
  if (found !== undefined) await to.writeManifest(copy.ctx, row!, pages, copy.epoch)
}

/** The values a manifest is sealed with: its cycle, and the hash of its row; undefined if the row is missing. */
function boundTo(
  { seal }: ContextRow,
  cycle: number,
  row: Row | undefined,
): readonly (string | Uint8Array)[] | undefined {
  if (seal === undefined) return [String(cycle)]
  return row && [String(cycle), row.hash]
}

/** Writes a manifest of the newest snapshot and its new pages. Returns the cycle. */
export async function writeManifest(rows: Rows, context: ContextRow, parts: Parts, book: PageBook): Promise<number> {
  const { newest } = parts.timeline
  const { ctx, epoch } = context
  const manifest = compressed(encodeManifest(manifestOf(parts, newest, book)))
  const pages = Array.from(book.fresh, ([key, bytes]) => ({ key, body: compressed(bytes) }))
  const bound = boundTo(context, newest!, await rowAt(rows, ctx, newest!))
  // Without its row, the context was deleted or is damaged.
  if (bound === undefined) return newest!
  await rows.writeManifest(ctx, { cycle: newest!, body: sealedFor(context, manifest, ...bound) }, pages, epoch)
  book.taken(pages.map(({ key }) => key))
  return newest!
}

function pageOf(bytes: Uint8Array | undefined, page: string): Uint8Array {
  try {
    if (bytes !== undefined) return decompressed(bytes)
  } catch {
    // Reported below as damage.
  }
  throw damagedPage(page)
}

function damagedPage(page: string): PactError {
  const message = `The page ${page} is missing or damaged; fsck with repair makes it again from what was written.`
  return new PactError('E_STORE', message, { page, outcome: 'failed', reason: 'damaged' })
}

// ---- Checking

/** Number of reads of a listed manifest before it counts as unreadable. */
const READS = 3

/** Checks every manifest of a context against the tree replayed from its rows. */
export class ManifestCheck {
  readonly #rows: Rows
  readonly #context: ContextRow
  readonly #cycles = new Set<number>()
  /** Shared between manifests, so that common pages are decoded once. */
  readonly #book = new PageBook()
  readonly #comparer = new TreeComparer()

  constructor(rows: Rows, context: ContextRow) {
    this.#rows = rows
    this.#context = context
  }

  async list(): Promise<void> {
    for (const cycle of await this.#rows.manifests(this.#context.ctx)) this.#cycles.add(cycle)
  }

  /** Cycles of manifests that no `problemsAt` call has checked. */
  get left(): Iterable<number> {
    return this.#cycles
  }

  async problemsAt(cycle: number, timeline: Timeline): Promise<readonly string[]> {
    if (!this.#cycles.delete(cycle)) return []
    const found = await this.#found(cycle)
    if (found === 'dropped') return []
    if (found === undefined) return ['Its manifest, or a page of it, is missing or damaged.']
    try {
      const paged = timelineFromPages(found.manifest.snapshot!, found.page, this.#book, REPLAYED_SNAPSHOTS).treeAt(
        cycle,
      )!
      const id = this.#comparer.firstDifference(paged, timeline.treeAt(cycle)!)
      return id === undefined ? [] : [`Its manifest has another ${id} than its rows.`]
    } catch (error) {
      if (!PactError.is(error)) throw error
      return [error.message]
    }
  }

  /** Reads a manifest again if another process drops and rewrites manifests meanwhile. */
  async #found(cycle: number): Promise<LoadedManifest | 'dropped' | undefined> {
    const here = [{ context: this.#context, to: cycle }]
    for (let reads = 1; ; reads++) {
      const found = await findManifest(this.#rows, here, cycle)
      if (found?.known.cycle === cycle) return found
      if (!(await this.#rows.manifests(this.#context.ctx)).includes(cycle)) return 'dropped'
      if (reads === READS) return undefined
    }
  }
}
