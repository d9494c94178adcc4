// docs/selectors.md is complete: it names every predicate, every control and every code of the lint.

import fs from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { createContext, lintSelector } from '../../src/index.js'
import { CONTROLS } from '../../src/selector/names.js'
import { PREDICATES } from '../../src/selector/parse/token.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/selectors.md'), 'utf8')

test('begins with selectors that find something, and about which nothing is odd', () => {
  const [, table = ''] = /\n\| you want \| selector \|\n\| ---[^\n]*\n((?:\|[^\n]*\n)+)/.exec(PAGE) ?? []
  const selectors = [...table.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)
  expect(selectors.length).toBeGreaterThan(10)
  const ctx = createContext()
  ctx.set('plan', 'Look.')
  for (let turn = 1; turn <= 5; turn++) {
    const call = { data_call_id: `c${turn}` }
    ctx.user('My password?', { tags: ['rag'] })
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', ...call })
    ctx.tool('A password.', { kind: 'result', ...call })
    ctx.commit()
  }
  ctx.user('And now?')
  ctx.post('A note.', { ttl: 1 })
  for (const selector of selectors) {
    expect(lintSelector(selector).diagnostics, selector).toEqual([])
    expect(JSON.stringify(ctx.select(selector)), selector).toContain(':')
  }
  expect(ctx.warnings.filter(({ message }) => message.includes('Nothing matches'))).toEqual([])
})

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
