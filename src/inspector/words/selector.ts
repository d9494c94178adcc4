// A selector as it stands in the bar: whether it can be read, what it is about, and where it goes wrong. Reading, advice and
// completion happen in the page with the library's own parser; only what a selector finds is asked of the server.

import { PactError } from '../../errors/index.js'
import { parseSelector } from '../../selector/index.js'
import type { At } from '../state/link.js'
import { attemptOf, lensOf } from '../state/link.js'

export type Fault = Readonly<{
  message: string
  /** The text again and the carets under it, where the error has a place. */
  line?: string
  carets?: string
  /** What to write instead, and of what. */
  fix?: string
  pos: number
  end: number
}>

export type Query =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'fault'; fault: Fault }>
  /** Over several snapshots: it gives a diff. */
  | Readonly<{ kind: 'range'; text: string; body: string }>
  /** With a time of its own. */
  | Readonly<{ kind: 'elsewhere'; text: string; time: string }>
  | Readonly<{ kind: 'here'; text: string }>

export function readQuery(written: string): Query {
  const text = written.trim()
  if (text === '') return { kind: 'none' }
  try {
    const { time, controls } = parseSelector(text)
    if (time === undefined) return { kind: 'here', text }
    const said = text.slice(time.span.start, time.span.end)
    if (!/\.\.|^@history|\*/.test(said)) return { kind: 'elsewhere', text, time: said }
    // Controls such as @mode belong to the range, not to what it selects.
    const body = controls.reduceRight((rest, { span }) => rest.slice(0, span.start) + rest.slice(span.end), text)
    return { kind: 'range', text, body: body.slice(time.span.end).trim() }
  } catch (error) {
    if (!PactError.is(error)) throw error
    return { kind: 'fault', fault: faultOf(error) }
  }
}

/** What to ask the server, for a moment: a selector that names its time, or one for the tree of an attempt, which has no such name. */
export function askedAt(query: Query, at: At): { selector: string; at?: string } | null {
  if (query.kind === 'here') {
    const attempt = attemptOf(at)
    if (attempt !== null) return { selector: query.text, at: attempt }
    return { selector: `${at === 'working' ? '@working' : lensOf(at)} ${query.text}` }
  }
  return query.kind === 'range' || query.kind === 'elsewhere' ? { selector: query.text } : null
}

/** The error of the parser, or of the server about the same text, as the bar shows it. */
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

/** The text with the fix made; a whole suggestion stands for all of it. */
export function fixed(text: string, { pos, end, fix = '' }: Fault): string {
  return fix.includes(' ') && text.length > 0 && end - pos < fix.length - 12
    ? fix
    : text.slice(0, pos) + fix + text.slice(end)
}

/** Whether somebody is still typing: what is missing is missing at the end. */
export function isUnfinished({ pos }: Fault, text: string): boolean {
  return pos >= text.trim().length - 1
}
