// Advice on a selector, and its text with the advice taken (001, "Linter rules" and §10; D13, D18, D22). A selector that
// cannot be read gives one diagnostic with the parser's code; a readable one is checked rule by rule.

import { ANYTHING, asCall, checkOptions, PactError } from '../../errors/index.js'
import { deepFreeze, defined, type Dialect } from '../../core/index.js'
import type { Selector } from '../ast.js'
import { formatSelector } from '../format.js'
import { rewriteLegacy } from './legacy-text.js'
import { findMigrations, migrateSelector } from './lint-migrate.js'
import { findAdvice, followAdvice } from './lint-rules.js'
import { DIALECT, orFault, readSelector } from '../parse/selector.js'
import { Reader } from '../parse/reader.js'

export type Diagnostic = Readonly<{
  /** The name of a rule, or the code of the error that parsing gives. */
  code: string
  severity: 'error' | 'warning' | 'info'
  message: string
  /** The place in UTF-16 units, the end not included. */
  start: number
  end: number
  /** The text to put in place of the span. */
  fix?: string
}>

export type LintOptions = Readonly<{
  dialect?: Dialect | undefined
  /** Reads the text as 0.1 and lists the changes for dialect 1.0; `fixed` is then a 1.0 selector for `select`. */
  migrate?: boolean | undefined
}>

export type LintResult = Readonly<{
  diagnostics: readonly Diagnostic[]
  /** The text with every fix made, which selects the same; only where something changed, or where it could migrate. */
  fixed?: string
}>

/** Lists the faults of a selector, and possible improvements. Never throws for a string. */
export function lintSelector(text: string, options: LintOptions = {}): LintResult {
  return asCall(lintSelector, () => lint(text, options))
}

function lint(text: string, options: LintOptions): LintResult {
  checkOptions(options, { dialect: DIALECT, migrate: ANYTHING }, '{ migrate: true }', 'E_SELECTOR_INVALID')
  const isMigration = options.migrate === true && options.dialect !== '1.0'
  const dialect = options.dialect ?? (isMigration ? '0.1' : '1.0')
  const read = tryParse(text, dialect)
  if (PactError.is(read)) return lintUnreadable(text, read, dialect)
  const advice = findAdvice(read, text)
  const advised = followAdvice(read)
  if (!isMigration) return result(advice, fixedText(read, advised, dialect))
  const migrated = migrateSelector(advised)
  const fixed = migrated && fixedText(read, migrated, '1.0')
  return result([...advice, ...findMigrations(read)], fixed)
}

/** One diagnostic, or one for each legacy token that the recipe of 001 can rewrite. */
function lintUnreadable(text: string, error: PactError, dialect: Dialect): LintResult {
  const { pos, token, suggestion } = error.details as { pos: number; token: string; suggestion?: string }
  const [message = ''] = error.message.split('\n')
  const base = { code: error.code, severity: 'error' as const, message }
  const uses = error.code === 'E_SELECTOR_LEGACY' ? rewriteLegacy(new Reader(text, dialect)).uses : []
  if (uses.length === 0) return result([{ ...base, start: pos, end: pos + token.length }], undefined)
  const diagnostics = uses.map(({ span, fix, sentence }): Diagnostic => {
    const usual = `"${text.slice(span.start, span.end)}" is a token of an older draft.`
    return defined({ ...base, message: sentence ?? usual, ...span, fix })
  })
  const rewritten = suggestion === undefined ? undefined : tryParse(suggestion, dialect)
  const tree = rewritten === undefined || PactError.is(rewritten) ? undefined : followAdvice(rewritten)
  return result(diagnostics, tree && formatSelector(tree))
}

/** The text of a changed tree; undefined where nothing changed, or where it could not be read again. */
function fixedText(before: Selector, after: Selector, dialect: Dialect): string | undefined {
  const fixed = formatSelector(after)
  if (fixed === formatSelector(before) && dialect === before.dialect) return undefined
  return PactError.is(tryParse(fixed, dialect)) ? undefined : fixed
}

function tryParse(text: string, dialect: Dialect): Selector | PactError {
  return orFault(() => readSelector(text, { dialect }))
}

function result(diagnostics: readonly Diagnostic[], fixed: string | undefined): LintResult {
  return deepFreeze(defined({ diagnostics, fixed }))
}
