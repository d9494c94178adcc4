// docs/options.md is complete: its tables have exactly the names that the code accepts.

import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { parseSource } from '../support/source.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/options.md'), 'utf8')

test.each([
  ['options of createContext', '## Options', 'src/context/options.ts', 'RULES'],
  ['members of a pruning policy', '## Pruning', 'src/commit/policy.ts', 'NAMES'],
  ['headers', '## Headers', 'src/edit/header.ts', 'HEADERS'],
  ['options of openStore', '## Stores', 'src/store/open-rows.ts', 'RULES'],
])('names all %s, and no others', (_, heading, file, list) => {
  expect(documentedUnder(heading).toSorted()).toEqual(acceptedBy(file, list).toSorted())
})

/** The names in the first column of the first table under a heading. */
function documentedUnder(heading: string): readonly string[] {
  const [, section = ''] = PAGE.split(`\n${heading}\n`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const firstCells = table.split('\n').map((row) => row.split('|')[1] ?? '')
  return firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

/** The texts in a list or a Set, or the keys in a Map or an object, that a file has: `const NAMES = new Set(['id', …])`. */
function acceptedBy(file: string, list: string): readonly string[] {
  const source = parseSource(file, fs.readFileSync(path.join(ROOT, file), 'utf8'))
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((each) => [...each.declarationList.declarations])
  const made = declarations.find((each) => each.name.getText(source) === list)?.initializer
  const members = made !== undefined && ts.isNewExpression(made) ? made.arguments?.[0] : made
  if (members !== undefined && ts.isObjectLiteralExpression(members)) {
    return members.properties.map((each) => each.name!.getText(source))
  }
  if (members === undefined || !ts.isArrayLiteralExpression(members)) throw new Error(`${file} has no list ${list}.`)
  return members.elements.map((each) => {
    const name = ts.isArrayLiteralExpression(each) ? each.elements[0] : each
    if (name === undefined || !ts.isStringLiteral(name)) throw new Error(`${file}: ${each.getText(source)} is no text.`)
    return name.text
  })
}
