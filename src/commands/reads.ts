// What a context tells: selections, diffs, renderings, prefixes, tokens, bytes. With operations, of the state that they would give.

import { glanceAt, renderedSource, sizedPrefix, type JsonObject, type Lens } from '../context/index.js'
import { RENDERED_FORMATS } from '../formats/index.js'
import { StoredContext } from '../store/index.js'
import type {
  BytesAnswer,
  BytesInput,
  DiffAnswer,
  DiffInput,
  DiffOptions,
  PrefixAnswer,
  PrefixInput,
  Rendered,
  RenderInput,
  Selected,
  SelectInput,
  SelectOptions,
  TokensAnswer,
  TokensInput,
} from './answers.js'
import {
  checkInput,
  flagIn,
  formatIn,
  invalid,
  lensIn,
  objectIn,
  oneOf,
  READING,
  readingOf,
  textIn,
  textOf,
} from './check.js'
import type { Desk } from './desk.js'
import { adapterOf, rendererFor } from './formats.js'
import { jsonOf } from './json.js'
import type { OpenContext } from './trial.js'

/** Finds nodes by a selector; for a range of snapshots, what changed in it. */
export async function selectNodes(desk: Desk, input: SelectInput): Promise<Selected> {
  const given = checkInput(input, ['id', 'selector', 'options', 'nodes', 'at', ...READING])
  const at = lensIn(given, 'at')
  const selector = textOf(given, 'selector')
  const options: SelectOptions | undefined = objectIn(given, 'options')
  const withNodes = flagIn(given, 'nodes') ?? false
  return desk.read(textOf(given, 'id'), readingOf(given), (ctx): Selected => {
    const source = at === undefined ? ctx : ctx.snapshot(at)
    const found: unknown = source.select(selector, options)
    if (!Array.isArray(found)) return { range: jsonOf(found as object) }
    const ids: readonly string[] = found
    if (!withNodes) return { ids, count: ids.length }
    const nodes = source.nodes(selector, options).map((node) => withoutChildren(node.toJSON()))
    return { ids, count: ids.length, nodes }
  })
}

/** A node alone: what it holds would be told many times over. */
export function withoutChildren(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'children'))
}

/** What changed from one tree to another. */
export async function diffSnapshots(desk: Desk, input: DiffInput): Promise<DiffAnswer> {
  const given = checkInput(input, ['id', 'a', 'b', 'selector', 'options', 'detailed', ...READING])
  const [a, b] = [textOf(given, 'a') as Lens, textOf(given, 'b') as Lens]
  const selector = textIn(given, 'selector')
  const options: DiffOptions | undefined = objectIn(given, 'options')
  const isDetailed = flagIn(given, 'detailed') ?? false
  return desk.read(textOf(given, 'id'), readingOf(given), (ctx) =>
    jsonOf(isDetailed ? ctx.diffDetailed(a, b, selector, options) : ctx.diff(a, b, selector, options)),
  )
}

/** The request of a provider as exact bytes, and whose they are. */
export async function renderRequest(desk: Desk, input: RenderInput): Promise<Rendered> {
  const given = checkInput(input, ['id', 'for', 'lens', 'options', ...READING])
  const format = oneOf(given, 'for', RENDERED_FORMATS)
  if (format === undefined) throw invalid('for', `for is missing: one of ${RENDERED_FORMATS.join(', ')}.`)
  const lens = lensIn(given, 'lens')
  const options = objectIn(given, 'options')
  const renderer = format === 'thread' ? undefined : await adapterOf(format)
  if (format === 'thread' && options !== undefined) throw invalid('options', 'A thread has no options.')
  return desk.read(textOf(given, 'id'), readingOf(given), (ctx) => {
    const source = renderedSource(ctx, lens, renderer?.to, options)
    const made = renderer?.to(source.snapshot, options)
    const text = (made?.chunks ?? source.snapshot.threadChunks()).join('')
    return {
      format,
      lens: source.lens,
      cycle: source.snapshot.cycle,
      text,
      tokens: source.tokens,
      repairs: (made?.repairs ?? []).map((repair) => jsonOf(repair)),
      sourceMap: source.map,
      breakpoints: made?.breakpoints ?? [],
    }
  })
}

/** How much of one rendering is the beginning of another, and what ended it. */
export async function readPrefix(desk: Desk, input: PrefixInput): Promise<PrefixAnswer> {
  const given = checkInput(input, ['id', 'a', 'b', 'for', 'options', ...READING])
  const [a, b] = [lensIn(given, 'a'), lensIn(given, 'b')]
  const format = oneOf(given, 'for', RENDERED_FORMATS)
  const to = format === 'thread' ? undefined : await rendererFor(format)
  const options = objectIn(given, 'options')
  return desk.read(textOf(given, 'id'), readingOf(given), (ctx) => sizedPrefix(ctx, a, b, { for: to, options }))
}

/** How many tokens a tree or a request has. */
export async function readTokens(desk: Desk, input: TokensInput): Promise<TokensAnswer> {
  const given = checkInput(input, ['id', 'lens', 'by', 'for', ...READING])
  const by = oneOf(given, 'by', ['region', 'depth', 'role', 'key', 'node'])
  const to = await rendererFor(formatIn(given, 'for'))
  const reading = readingOf(given)
  return desk.read(textOf(given, 'id'), reading, (ctx) =>
    ctx.tokens(lensIn(given, 'lens') ?? shownLens(ctx, reading.operations !== undefined), { by, for: to }),
  )
}

/** What a door shows where nobody names a tree: the newest snapshot, or what operations would make of it. */
export function shownLens(ctx: OpenContext, hasOperations: boolean): Lens {
  if (hasOperations) return 'preview'
  return ctx.cycle === 1 ? 'working' : '@t0'
}

/** Exactly the bytes of `export`. */
export async function readExport(desk: Desk, input: BytesInput): Promise<BytesAnswer> {
  return readBytes(desk, input, (ctx, lens) => ctx.export(lens))
}

/** Exactly the bytes of `threadBytes`. */
export async function readThread(desk: Desk, input: BytesInput): Promise<BytesAnswer> {
  return readBytes(desk, input, (ctx, lens) => ctx.threadBytes(lens))
}

async function readBytes(
  desk: Desk,
  input: BytesInput,
  read: (ctx: OpenContext, lens: Lens) => Uint8Array,
): Promise<BytesAnswer> {
  const given = checkInput(input, ['id', 'lens', ...READING])
  const reading = readingOf(given)
  return desk.read(textOf(given, 'id'), reading, (ctx) => {
    const lens = lensIn(given, 'lens') ?? shownLens(ctx, reading.operations !== undefined)
    const { epoch } = ctx instanceof StoredContext ? ctx : glanceAt(ctx)
    return { bytes: read(ctx, lens), cycle: ctx.snapshot(lens).cycle, epoch }
  })
}
