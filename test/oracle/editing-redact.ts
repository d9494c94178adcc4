// Taking a text out of nodes (D54): what a redaction asks for, where it looks, and what it leaves behind. Nothing here knows a
// tree.

import { redactedList, type Listed } from './editing-compact.js'
import { compareText, type ModelNode } from './editing-tree.js'
import { OracleError } from './selector-parse.js'

export type RedactOptions = { match: string | RegExp; with?: string; author?: string; reason?: string }

/** True if a text has an occurrence, and the text without it. */
export type Redaction = { occursIn: (text: string) => boolean; rewrite: (text: string) => string }

/** Refuses what is no match (E_CONTENT_INVALID). */
export function redactionOf({ match, with: replacement = '[redacted]' }: RedactOptions): Redaction {
  if (typeof match === 'string' && match !== '') {
    const rewrite = (text: string): string => {
      const rest = text.split(match).join(replacement)
      return replacement === '' && rest.includes(match) ? rewrite(rest) : rest
    }
    return { occursIn: (text) => text.includes(match), rewrite }
  }
  if (!(match instanceof RegExp)) throw new OracleError('E_CONTENT_INVALID')
  // Every occurrence, whatever the flags; an empty one is none.
  const everywhere = new RegExp(match.source, `${match.flags.replaceAll(/[gy]/g, '')}g`)
  const occursIn = (text: string): boolean => [...text.matchAll(everywhere)].some(([found]) => found !== '')
  const rewrite = (text: string): string => {
    const rest = text.replace(everywhere, (found) => (found === '' ? '' : replacement))
    return replacement === '' && occursIn(rest) ? rewrite(rest) : rest
  }
  return { occursIn, rewrite }
}

/** The headers of a node that have an occurrence, as they read without: content, `data_*`, `content_*`, provenance. */
export function redactedHeaders(node: ModelNode, redaction: Redaction): Record<string, unknown> {
  // Not the id that ties a call to its result (N31).
  const isSearched = (name: string): boolean =>
    name !== 'data_call_id' && /^(?:content|provenance|data_.*|content_.*)$/s.test(name)
  const hit = Object.entries(node.given).filter(([name, value]) => isSearched(name) && occursIn(value, redaction))
  const found = Object.fromEntries(hit.map(([name, value]) => [name, rewritten(value, redaction)]))
  // D63: so are the nodes that travel with a summary.
  const list = node.given['pact:compacted'] as Listed | undefined
  const redacted = list && redactedList(list, redaction)
  if (redacted !== undefined) found['pact:compacted'] = redacted
  // D61: the original of a shed result is searched too, and stays with another line.
  const shed = node.given['pact:shed'] as { id: string; content: unknown } | undefined
  if (shed === undefined || (!occursIn(shed.content, redaction) && !('content' in found))) return found
  return { ...found, 'pact:shed': { id: shed.id, content: rewritten(shed.content, redaction) } }
}

/** A reasoning block that its provider has signed: changed, it would be refused, so it goes whole. */
export function isSignedReasoning(node: ModelNode): boolean {
  return node.given['kind'] === 'reasoning' && node.given['data_signature'] !== undefined
}

function occursIn(value: unknown, redaction: Redaction): boolean {
  if (typeof value === 'string') return redaction.occursIn(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((each) => occursIn(each, redaction))
  return Object.entries(value).some(([name, each]) => redaction.occursIn(name) || occursIn(each, redaction))
}

/** CHOICE 61: a key without an occurrence keeps its name; the others take the first name that is still free. */
function rewritten(value: unknown, redaction: Redaction): unknown {
  if (typeof value === 'string') return redaction.rewrite(value)
  if (Array.isArray(value)) return value.map((each) => rewritten(each, redaction))
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).toSorted(compareText)
  const taken = new Set(names.filter((name) => !redaction.occursIn(name)))
  const nameOf = (name: string): string => {
    if (!redaction.occursIn(name)) return name
    const plain = redaction.rewrite(name)
    let free = plain
    for (let n = 2; taken.has(free); n++) free = `${plain} ${n}`
    taken.add(free)
    return free
  }
  const values = value as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [nameOf(name), rewritten(values[name], redaction)]))
}
