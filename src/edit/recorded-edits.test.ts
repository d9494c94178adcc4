// Edits as data: nested specs, and redactions without their texts.

import { expect, test } from 'vitest'

import { createContext } from '../index.js'
import { erasedData } from './erased-data.js'

test('a container is recorded with its children, and a block without a list of them', () => {
  const ctx = createContext()
  ctx.add(undefined, { children: [{ content: 'a' }, { children: [{ content: 'b', role: 'user' }] }] })
  expect(ctx.operations()).toMatchObject([
    { op: 'add', header: { children: [{ content: 'a' }, { children: [{ content: 'b', role: 'user' }] }] } },
  ])
  const [operation] = ctx.operations() as readonly { header: { children: readonly object[] } }[]
  expect(operation!.header.children.map((child) => Object.hasOwn(child, 'children'))).toEqual([false, true])
})

test('an erased redaction keeps its places and loses its texts', () => {
  const replaced = [{ id: 'a', spec: { content: 'secret', data_note: 'secret', data_call_id: 'c' } }, { id: 'b' }]
  expect(erasedData({ op: 'redact', selector: '*', options: { replaced } }, new Set('a'), true)).toEqual({
    op: 'redact',
    selector: '*',
    options: { replaced: [{ id: 'a', spec: { content: '', data_call_id: 'c' } }, { id: 'b' }] },
  })
})
