import fs from 'node:fs'

import { oneLine } from '../../core/index.js'
import type { LintAnswer } from '../../api/index.js'
import { lintText } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import { flag, openFile, wholeText } from '../given.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'

type Checked = LintAnswer & Readonly<{ line?: number; selector: string }>

/** Hints do not change the exit status. */
const SERIOUS: readonly string[] = ['error', 'warning']

export const lint: Action = async (call) => {
  const input = inputOf(call, 'lint', [])
  const checked: Checked[] = []
  for (const { selector, line } of await selectorsOf(call)) {
    const result = lintText({ ...input, selector })
    checked.push({ ...(line === undefined ? {} : { line }), selector, ...result })
  }
  await call.answer({ selectors: checked }, () =>
    flag(call.options, 'fix') ? fixedLines(checked) : checked.flatMap(linesOf),
  )
  return checked.some(({ diagnostics }) => diagnostics.some(({ severity }) => SERIOUS.includes(severity))) ? 1 : 0
}

/** An argument that names a file is one, with a selector on each line; any other is a selector. */
async function selectorsOf(call: Call): Promise<readonly Readonly<{ selector: string; line?: number }>[]> {
  const given = call.arguments[0] ?? '-'
  if (given !== '-' && !isFile(given)) return [{ selector: given }]
  const lines = (await wholeText(openFile(call, given))).split(/\r?\n/)
  return lines
    .map((selector, i) => ({ selector: selector.trim(), line: i + 1 }))
    .filter(({ selector }) => selector !== '' && !selector.startsWith('//'))
}

function isFile(name: string): boolean {
  try {
    return fs.statSync(name).isFile()
  } catch {
    return false
  }
}

function linesOf({ selector, line, diagnostics, fixed }: Checked): readonly TextLine[] {
  const where = line === undefined ? '' : `${line}: `
  if (diagnostics.length === 0)
    return [
      [
        ['good', 'ok'],
        ['plain', ` ${where}${oneLine(selector)}`],
      ],
    ]
  return [
    ...diagnostics.map(({ severity, code, message, start }): TextLine => [
      [severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim', `${severity} `],
      ['plain', `${where}column ${start + 1}: ${oneLine(message)}`],
      ['dim', ` (${code})`],
    ]),
    ...(fixed === undefined ? [] : [[['plain', `  better: ${oneLine(fixed)}`]] satisfies TextLine]),
  ]
}

function fixedLines(checked: readonly Checked[]): readonly TextLine[] {
  return checked.map(({ selector, fixed = selector }) => [['plain', oneLine(fixed)]])
}
