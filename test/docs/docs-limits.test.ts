// The numbers in docs/limits.md are those in the code, and every bound of the code that has a name of its own is there.

import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { LIMITS } from '../../src/core/index.js'
import { SELECTOR_LIMITS } from '../../src/selector/index.js'
import { parseSource } from '../support/source.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/limits.md'), 'utf8')

test('the bounds beyond which a call is refused', () => {
  const { depth, digits, text, values, nodes, items } = LIMITS
  const { text: selectorText, groups, nesting, conditions, visits } = SELECTOR_LIMITS
  const lastCycle = (numberIn('src/core/record.ts', 'NEVER') - 1) / 2
  const names = numberIn('src/diff/range-diff.ts', 'MOST_NAMES')
  const input = [depth, depth, digits, text, values, nodes, items, lastCycle]
  const selectors = [selectorText, groups, nesting, conditions, visits, names]
  expect(numbersUnder('## What is refused')).toEqual([...input, ...selectors])
})

test('every bound on input and on selectors', () => {
  const documented = new Set(numbersUnder('## What is refused'))
  const bounds = [...Object.entries(LIMITS), ...Object.entries(SELECTOR_LIMITS)]
  expect(bounds.filter(([, most]) => !documented.has(most))).toEqual([])
})

test('what is kept and then let go', () => {
  expect(numbersUnder('## What is forgotten')).toEqual([
    numberIn('src/attempts/attempts.ts', 'KEPT'),
    numberIn('src/context/warnings.ts', 'KEPT'),
    numberIn('src/context/warnings.ts', 'KEPT'),
    numberIn('src/commit/budget.ts', 'MOST_KEPT'),
    numberIn('src/commit/tokens.ts', 'MOST_CONTENTS'),
    numberIn('src/tokens/calibrated.ts', 'MOST_SAMPLES'),
  ])
})

test('what is shortened', () => {
  expect(numbersUnder('## What is shortened')).toEqual([
    numberIn('src/diff/content-diff.ts', 'MAX_TEXT'),
    numberIn('src/diff/text-diff.ts', 'MAX_ELEMENTS'),
    numberIn('src/diff/text-diff.ts', 'MAX_EDITS'),
    numberIn('src/diff/text-diff.ts', 'MAX_STEPS'),
    numberIn('src/diff/json-patch.ts', 'MAX_PATCH_TEXT'),
    numberIn('src/errors/pact-error.ts', 'LONGEST'),
    numberIn('src/errors/describe.ts', 'MOST'),
  ])
})

test('the bounds of stores', () => {
  expect(numbersUnder('## In a store')).toEqual([
    numberIn('src/store/options.ts', 'LONGEST'),
    numberIn('src/store/sqlite/cells.ts', 'SPAN') - 1,
    numberIn('src/store/store.ts', 'HISTORY'),
    numberIn('src/store/loading.ts', 'ATTEMPTS'),
    numberIn('src/store/upkeep.ts', 'TAIL'),
    numberIn('src/store/upkeep.ts', 'PACKED'),
    numberIn('src/store/upkeep.ts', 'LARGEST'),
    numberIn('src/store/upkeep.ts', 'MANIFEST'),
    numberIn('src/store/sqlite/cells.ts', 'MOST_CONTEXTS'),
    numberIn('src/store/sqlite/connection.ts', 'LOG_PAGES'),
    numberIn('src/store/fsck.ts', 'PATIENCE'),
    numberIn('src/store/store.ts', 'PAGE'),
    numberIn('src/store/fsck.ts', 'MOST_PROBLEMS'),
  ])
})

/** The first number of each second cell in the first table under a heading, where there is one. */
function numbersUnder(heading: string): readonly number[] {
  const [, section = ''] = PAGE.split(`\n${heading}\n`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const cells = table.split('\n').map((row) => row.split('|')[2] ?? '')
  return cells.flatMap((cell) => /^ (\d[\d,]*)/.exec(cell)?.[1] ?? []).map((text) => Number(text.replaceAll(',', '')))
}

/** The value of a constant of a file: a number, or one made of numbers. */
function numberIn(file: string, name: string): number {
  const source = parseSource(file, fs.readFileSync(path.join(ROOT, file), 'utf8'))
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((each) => [...each.declarationList.declarations])
  const made = declarations.find((each) => each.name.getText(source) === name)?.initializer
  const value = made && valueOf(made)
  if (value === undefined) throw new Error(`${file} has no number ${name}.`)
  return value
}

function valueOf(made: ts.Expression): number | undefined {
  if (ts.isNumericLiteral(made)) return Number(made.text)
  if (!ts.isBinaryExpression(made)) return undefined
  const [left, right] = [valueOf(made.left), valueOf(made.right)]
  if (left === undefined || right === undefined) return undefined
  switch (made.operatorToken.kind) {
    case ts.SyntaxKind.LessThanLessThanToken:
      return left << right
    case ts.SyntaxKind.AsteriskToken:
      return left * right
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right
    default:
      return undefined
  }
}
