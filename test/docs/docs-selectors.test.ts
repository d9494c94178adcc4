// docs/selectors.md is complete: it names every predicate, every control and every code of the lint.

import fs from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { CONTROLS } from '../../src/selector/names.js'
import { PREDICATES } from '../../src/selector/parse/token.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/selectors.md'), 'utf8')

test('names every predicate and every control', () => {
  const names = [...PREDICATES, ...CONTROLS.map((name) => `@${name}`)]
  expect(names.filter((name) => !new RegExp(`${name}\\b`).test(PAGE))).toEqual([])
})

test('has a row for every code of the lint, and for no other', () => {
  const folder = path.join(ROOT, 'src/selector/advice')
  const files = fs.readdirSync(folder).filter((file) => !file.includes('.test.'))
  const code = files.map((file) => fs.readFileSync(path.join(folder, file), 'utf8')).join('\n')
  const codes = [...code.matchAll(/\b(?:code|rule): '([a-z]+(?:-[a-z]+)*)'/g)].map(([, name]) => name!)
  const [, table = ''] = /\n\| diagnostic[^\n]*\n\| ---[^\n]*\n((?:\|[^\n]*\n)+)/.exec(PAGE) ?? []
  const rows = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!))
  expect(rows.toSorted()).toEqual([...new Set(codes)].toSorted())
})
