// A form as its operation, and as the equivalent call of the library.

import type { JsonObject, Operation } from '../../api/index.js'
import { lensOf, type At } from '../state/link.js'

export type Fields = Readonly<
  Record<'where' | 'role' | 'ttl' | 'key' | 'tags' | 'pinned' | 'content' | 'author' | 'reason' | 'id', string>
>

export function operationOf(kind: 'insert' | 'replace' | 'redact', fields: Fields, node: string): Operation {
  if (kind === 'insert') return made({ op: 'insert', spec: specOf(fields), position: fields.where })
  const selector = selectorOf(node)
  if (kind === 'replace') return made({ op: 'replace', selector, spec: { content: fields.content } })
  return made({ op: 'delete', selector, options: reasons(fields) })
}

/** Unchecked: the server validates operations and reports faults. */
function made(operation: JsonObject): Operation {
  return operation as unknown as Operation
}

export function callText(kind: 'insert' | 'replace' | 'redact' | 'fork', fields: Fields, node: string, at: At): string {
  switch (kind) {
    case 'insert':
      return `ctx.insert(${JSON.stringify(specOf(fields))}, '${fields.where}')`
    case 'replace':
      return `ctx.replace(${JSON.stringify(selectorOf(node))}, ${JSON.stringify({ content: fields.content })})`
    case 'redact':
      return `ctx.delete(${JSON.stringify(selectorOf(node))}, ${JSON.stringify(reasons(fields))})`
    case 'fork':
      return `ctx.fork('${lensOf(at)}', ${JSON.stringify({ id: fields.id })})`
  }
}

export function selectorOf(id: string): string {
  return `[id='${id.replace(/[\\']/g, (char) => `\\${char}`)}']`
}

function specOf({ content, role, key, tags, ttl, pinned }: Fields): JsonObject {
  const names = tags.split(/[\s,]+/).filter((each) => each !== '')
  return {
    content,
    ...(role === '' ? {} : { role }),
    ...(key === '' ? {} : { key }),
    ...(names.length === 0 ? {} : { tags: names }),
    // A value that is not a number is sent unchanged, and the server reports it.
    ...(ttl.trim() === '' ? {} : { ttl: Number.isFinite(Number(ttl)) ? Number(ttl) : ttl }),
    ...(pinned === '' ? {} : { pinned: true }),
  }
}

function reasons({ author, reason }: Fields): JsonObject {
  return { ...(author === '' ? {} : { author }), ...(reason === '' ? {} : { reason }) }
}
