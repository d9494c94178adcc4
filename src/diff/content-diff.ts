// The content_diff of a changed node (D39): two contents as a unified diff, a JSON patch or token hunks, with their sizes.
//
// Strings are compared as the text they are. Where a side is anything else, both are written as canonical JSON, spread
// over lines for a unified diff; a string is then in quotes, so that it differs from the value it may spell. For a
// patch a string is a JSON string like any other, whatever its text may parse to.
//
// `truncated` says that a limit was reached. The diff still leads from the older to the newer content, but with more
// changes than necessary; only where the texts themselves are too long, or have too many lines, `diff` or `hunks` (with
// the numbers of tokens) are missing, and a patch replaces the whole value.

import type { JsonValue } from '../core/index.js'
import { canonicalJson, quoteJson } from '../codec/index.js'
import { indentJson } from './json-lines.js'
import { diffJson, replaceAll, type PatchOperation } from './json-patch.js'
import { Search } from './text-diff.js'
import { diffTokens, UNICODE_WORDS, type Tokenizer, type TokenHunk } from './token-diff.js'
import { unifiedDiff } from './unified.js'

/** One side: a node in one snapshot, which `label` names as `@t-1` does. Missing content counts as "". */
export type ContentSide = Readonly<{
  id: string
  label: string
  content: JsonValue | undefined
  mime?: string | undefined
}>

export type ContentDiffOptions = Readonly<{
  mode: 'unified' | 'jsonpatch' | 'tokens'
  /** Kept lines around a change, or kept tokens; a patch has none. */
  contextLines: number
  maxEdits?: number | undefined
  tokenizer?: Tokenizer | undefined
}>

export type ContentDiff = Readonly<{
  mode: ContentDiffOptions['mode']
  mime: string
  summary: ContentDiffSummary
  diff?: string
  patch?: readonly PatchOperation[]
  hunks?: readonly TokenHunk[]
}>

/** Sizes in UTF-8 bytes, of a string itself and else of canonical JSON. */
export type ContentDiffSummary = Readonly<{
  bytesNewer: number
  bytesOlder: number
  identical: boolean
  truncated: boolean
  tokenizer?: string
  tokensNewer?: number
  tokensOlder?: number
}>

/** The characters of both sides, written as they are compared, beyond which there are too many lines or tokens to hold. */
export const MAX_TEXT: number = 1 << 24

/** Describes how the newer content came from the older. */
export function diffContent(newer: ContentSide, older: ContentSide, options: ContentDiffOptions): ContentDiff {
  const pair = pairOf(newer, older)
  const search = new Search(options.maxEdits)
  const { counts, ...found } = findChanges(pair, options, search)
  return Object.freeze({
    mode: options.mode,
    mime: newer.mime ?? older.mime ?? (pair.isText ? 'text/plain' : 'application/json'),
    summary: Object.freeze({
      bytesNewer: utf8Length(pair.newer.text),
      bytesOlder: utf8Length(pair.older.text),
      identical: pair.identical,
      truncated: search.truncated,
      ...counts,
    }),
    ...found,
  })
}

/** A content with the text that measures it: a string as it is, anything else as canonical JSON. */
type Written = Readonly<{ name: string; content: JsonValue; text: string }>

type Pair = Readonly<{ newer: Written; older: Written; isText: boolean; identical: boolean }>

function pairOf(newer: ContentSide, older: ContentSide): Pair {
  const [after, before] = [writeSide('newer', newer), writeSide('older', older)]
  const [newerIsText, olderIsText] = [typeof after.content === 'string', typeof before.content === 'string']
  return {
    newer: after,
    older: before,
    isText: newerIsText && olderIsText,
    identical: newerIsText === olderIsText && after.text === before.text,
  }
}

function writeSide(side: 'newer' | 'older', { id, label, content = '' }: ContentSide): Written {
  return {
    name: `${side}(${label})/${id}`,
    content,
    text: typeof content === 'string' ? content : canonicalJson(content),
  }
}

type ContentChanges = Readonly<{
  diff?: string
  patch?: readonly PatchOperation[]
  hunks?: readonly TokenHunk[]
  counts?: Readonly<{ tokenizer: string; tokensNewer?: number; tokensOlder?: number }>
}>

function findChanges(pair: Pair, options: ContentDiffOptions, search: Search): ContentChanges {
  switch (options.mode) {
    case 'unified':
      return findLines(pair, options.contextLines, search)
    case 'jsonpatch':
      return { patch: findOperations(pair, search) }
    case 'tokens':
      return findTokens(pair, options.contextLines, options.tokenizer ?? UNICODE_WORDS, search)
  }
}

function findLines(pair: Pair, context: number, search: Search): ContentChanges {
  if (pair.identical) return { diff: '' }
  const newer = pair.isText ? pair.newer.text : indentJson(jsonText(pair.newer), MAX_TEXT)
  const older = pair.isText ? pair.older.text : indentJson(jsonText(pair.older), MAX_TEXT)
  if (newer === undefined || older === undefined || isTooLong(newer, older)) return giveUp(search, {})
  const sides = [
    { name: pair.older.name, text: older },
    { name: pair.newer.name, text: newer },
  ] as const
  const diff = unifiedDiff(...sides, context, search)
  return diff === undefined ? {} : { diff }
}

function findOperations(pair: Pair, search: Search): readonly PatchOperation[] {
  const { newer, older } = pair
  if (!pair.isText && !pair.identical && isTooLong(newer.text, older.text)) {
    return giveUp(search, replaceAll(newer.content))
  }
  return diffJson(older.content, newer.content, search)
}

function findTokens(pair: Pair, context: number, tokenizer: Tokenizer, search: Search): ContentChanges {
  const newer = pair.isText ? pair.newer.text : jsonText(pair.newer)
  const older = pair.isText ? pair.older.text : jsonText(pair.older)
  if (isTooLong(newer, older)) {
    const counts = { tokenizer: tokenizer.name }
    return pair.identical ? { hunks: NONE, counts } : giveUp(search, { counts })
  }
  const after = tokenizer.split(newer)
  const before = pair.identical ? after : tokenizer.split(older)
  const counts = { tokenizer: tokenizer.name, tokensNewer: after.length, tokensOlder: before.length }
  return { hunks: diffTokens(before, after, context, search), counts }
}

const NONE: readonly never[] = Object.freeze([])

function jsonText({ content, text }: Written): string {
  return typeof content === 'string' ? quoteJson(text) : text
}

function isTooLong(newer: string, older: string): boolean {
  return newer.length + older.length > MAX_TEXT
}

function giveUp<T>(search: Search, found: T): T {
  search.truncated = true
  return found
}

const CHUNK = 1 << 16

/** Counts bytes piece by piece, so that a long text is not copied whole. No piece ends between the halves of a pair. */
function utf8Length(text: string): number {
  const encoder = new TextEncoder()
  let bytes = 0
  let end = 0
  for (let start = 0; start < text.length; start = end) {
    end = Math.min(start + CHUNK, text.length)
    if (text.codePointAt(end - 1)! > 0xffff) end++
    bytes += encoder.encode(text.slice(start, end)).length
  }
  return bytes
}
