// The selector in the bar: parsed, classified, and checked. The page parses, advises and
// completes with the library's own parser; only matching needs the server.

import { PactError } from '../../errors/index.js'
import { parseSelector } from '../../selector/index.js'
import type { At } from '../state/link.js'
import { attemptOf, lensOf } from '../state/link.js'

export type Fault = Readonly<{
  message: string
  /** The text with carets under the error, if the error has a position. */
  line?: string
  carets?: string
  /** The suggested replacement, and the text it replaces. */
  fix?: string
  pos: number
  end: number
}>

export type Query =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'fault'; fault: Fault }>
  /** Over several snapshots: it gives a diff. */
  | Readonly<{ kind: 'range'; text: string; body: string }>
  /** A selector with its own time. */
  | Readonly<{ kind: 'elsewhere'; text: string; time: string }>
  /** For the moment in view. */
  | Readonly<{ kind: 'here'; text: string }>
  /** Plain words, to look for in contents. */
  | Readonly<{ kind: 'words'; words: string }>
  /** The number of a cycle to go to. */
  | Readonly<{ kind: 'cycle'; cycle: number }>

export function readQuery(written: string): Query {
  const text = written.trim()
  if (text === '') return { kind: 'none' }
  const cycle = /^@?c?(\d{1,15})$/.exec(text)?.[1]
  if (cycle !== undefined) return { kind: 'cycle', cycle: Number(cycle) }
  try {
    const { time, controls } = parseSelector(text)
    if (time === undefined) return { kind: 'here', text }
    const said = text.slice(time.span.start, time.span.end)
    if (!/\.\.|^@history|\*/.test(said)) return { kind: 'elsewhere', text, time: said }
    // Controls such as @mode belong to the range, not to the selector inside it.
    const body = controls.reduceRight((rest, { span }) => rest.slice(0, span.start) + rest.slice(span.end), text)
    return { kind: 'range', text, body: body.slice(time.span.end).trim() }
  } catch (error) {
    if (!PactError.is(error)) throw error
    return WORDS.test(text) ? { kind: 'words', words: text } : { kind: 'fault', fault: faultOf(error) }
  }
}

/** Begins as a word does, and has no sign of a selector. */
const WORDS = /^[\p{L}\p{N}"“][^[\]{}^#+@*>~|=]*$/u

/** The question of a selector for a moment: a selector with a time prefix, or a plain one for an attempt's tree, which no prefix names. */
export function askedAt(query: Query, at: At): { selector: string; at?: string } | null {
  if (query.kind === 'here') {
    const attempt = attemptOf(at)
    if (attempt !== null) return { selector: query.text, at: attempt }
    return { selector: `${at === 'working' ? '@working' : lensOf(at)} ${query.text}` }
  }
  return query.kind === 'elsewhere' ? { selector: query.text } : null
}

/** A parse error, or the server's error about the same text, as the bar shows it. */
export function faultOf(error: { message: string; details: Readonly<Record<string, unknown>> }): Fault {
  const [message = '', line, carets] = error.message.split('\n')
  const { pos, token, suggestion } = error.details
  const start = typeof pos === 'number' ? pos : 0
  const end = start + (typeof token === 'string' ? token.length : 0)
  const near = /[Dd]id you mean "([^"]+)"/.exec(message)?.[1]
  const fix = near ?? (typeof suggestion === 'string' ? suggestion : undefined)
  return {
    message,
    pos: start,
    end,
    ...(line === undefined || carets === undefined ? {} : { line: line.slice(2), carets: carets.slice(2) }),
    ...(fix === undefined ? {} : { fix }),
  }
}

/** The text with the fix applied; a whole suggestion replaces all of it. */
export function fixed(text: string, { pos, end, fix = '' }: Fault): string {
  return fix.includes(' ') && text.length > 0 && end - pos < fix.length - 12
    ? fix
    : text.slice(0, pos) + fix + text.slice(end)
}

/** True if the user is still typing: the missing part is at the end. */
export function isUnfinished({ pos }: Fault, text: string): boolean {
  return pos >= text.trim().length - 1
}
