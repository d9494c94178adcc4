// The content hash (08 §2.1, D34): SHA-256 of the canonical JSON of content, kind, role and the custom attributes. The
// text is put together here instead of by canonicalJson, since its order is known: `content`, then `content_*` and
// `data_*`, which all sort between it and `kind`, then `kind` and `role`.

import { PactError } from '../errors/index.js'
import { compareText, type Warning } from '../core/index.js'

import { canonicalJson, quoteJson } from './canonical-json.js'
import { sha256Hex } from './sha256.js'

/** Called once for each value that is not JSON and therefore counts as empty. */
export type HashWarning = (warning: Warning) => void

/** The parts of a content hash. Of `custom`, only names that start with `data_` or `content_` take part. */
export type HashedParts = Readonly<{
  content: unknown
  kind: unknown
  role: unknown
  custom?: Readonly<Record<string, unknown>>
}>

/** Hashes the content of a node (08 §2.1, D34); undefined counts as missing, what is not JSON as empty. */
export function hashContent(parts: HashedParts, onWarning?: HashWarning): string {
  const content = partText('content', parts.content, onWarning)
  const custom = parts.custom === undefined ? '' : customText(parts.custom, onWarning)
  const kind = partText('kind', parts.kind, onWarning)
  const role = partText('role', parts.role, onWarning)
  return sha256Hex(`{"content":${content}${custom},"kind":${kind},"role":${role}}`)
}

/** Hashes a block in the documents' form, with `data_*` and `content_*` at its top level (08 §2.1, D34). */
export function contentHashOf(block: Readonly<Record<string, unknown>>, onWarning?: HashWarning): string {
  const own = (name: string): unknown => (Object.hasOwn(block, name) ? block[name] : undefined)
  return hashContent({ content: own('content'), kind: own('kind'), role: own('role'), custom: block }, onWarning)
}

function partText(name: string, value: unknown, onWarning: HashWarning | undefined): string {
  if (value === undefined) return '""'
  try {
    return canonicalJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    const message = `${name} is not JSON and counts as empty in the content hash: ${error.message}`
    onWarning?.(Object.freeze({ message, details: Object.freeze({ name }) }))
    return '""'
  }
}

function customText(custom: Readonly<Record<string, unknown>>, onWarning: HashWarning | undefined): string {
  let text = ''
  for (const name of Object.keys(custom).filter(isHashed).toSorted(compareText)) {
    const value = custom[name]
    if (value !== undefined) text += `,${quoteJson(name)}:${partText(name, value, onWarning)}`
  }
  return text
}

/** `content_hash` bears the prefix but is reserved: a hash cannot take part in itself (D34). */
function isHashed(name: string): boolean {
  return name.startsWith('data_') || (name.startsWith('content_') && name !== 'content_hash')
}
