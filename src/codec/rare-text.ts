// Rare headers as canonical JSON. Every commit and every page writes some, so without a list of fields that is put in order: their names
// have one order, and most nodes have one attribute.

import { compareText, type JsonValue, type RareHeaders } from '../core/index.js'
import type { ByteText } from './byte-text.js'
import { canonicalJson, quoteJson } from './canonical-json.js'

/** In the order of canonical JSON. */
export const RARE_NAMES: readonly (keyof RareHeaders)[] = [
  'attributes',
  'cad',
  'createdAtIso',
  'key',
  'pinned',
  'provenance',
  'refs',
  'removable',
  'standsFor',
  'supersedes',
  'tags',
]

/** The attribute that stays where it is when a body is taken out: it ties a call to its results (D56). */
export const CALL_ID = 'data_call_id'

export function writeRare(out: ByteText, rare: RareHeaders): void {
  out.ascii('{')
  for (const name of RARE_NAMES) {
    if (name !== 'attributes') writeHeader(out, name, rare[name])
    else if (rare.attributes !== undefined) out.ascii(`"attributes":${attributesText(rare.attributes)}`)
  }
  out.ascii('}')
}

/** Whether something is left where attributes and provenance stand in a body. */
export function isLeftBeside(rare: RareHeaders): boolean {
  for (const name in rare) if (name !== 'attributes' && name !== 'provenance') return true
  return rare.attributes?.has(CALL_ID) === true
}

/** What is left there. */
export function writeBeside(out: ByteText, rare: RareHeaders): void {
  const callId = rare.attributes?.get(CALL_ID)
  out.ascii('{')
  if (callId !== undefined) out.ascii(`"attributes":{"${CALL_ID}":${canonicalJson(callId)}}`)
  for (const name of RARE_NAMES) {
    if (name !== 'attributes' && name !== 'provenance') writeHeader(out, name, rare[name])
  }
  out.ascii('}')
}

function writeHeader(out: ByteText, name: string, value: JsonValue | undefined): void {
  if (value === undefined) return
  out.name(name)
  if (typeof value === 'string') out.quoted(value)
  else out.ascii(canonicalJson(value))
}

/** Attributes by name, but for one that is written elsewhere. */
export function attributesText(attributes: ReadonlyMap<string, JsonValue>, elsewhere?: string): string {
  const names: string[] = []
  for (const name of attributes.keys()) if (name !== elsewhere) names.push(name)
  if (names.length > 1) names.sort(compareText)
  let text = '{'
  for (const name of names) {
    if (text.length > 1) text += ','
    text += `${quoteJson(name)}:${canonicalJson(attributes.get(name)!)}`
  }
  return `${text}}`
}
