// The same selector where nodes have other ids: only what names a node changes.

import { expect, test } from 'vitest'

import type { Dialect } from '../../core/index.js'
import { renameIds } from './rename-ids.js'

const rename = (id: string): string => (id === 'a' ? 'b:1' : id)

const ROWS: readonly (readonly [dialect: Dialect, text: string, renamed: string])[] = [
  ['0.1', '#a', '#b:1'],
  ['0.1', "^ah  .cb#a, #'c'", '^ah .cb#b:1, #c'],
  ['1.0', '#a', '#a'],
  ['1.0', '[id=a]', "[id='b:1']"],
  ['1.0', "{ id='a', role=user }", "{ id='b:1', role=user }"],
  ['1.0', "[id!='a'][id in [a, c]]", "[id!='b:1'][id in ['b:1', c]]"],
  ['1.0', "[refs='a'], [refs~a], [supersedes='a']", "[refs='b:1'], [refs~'b:1'], [supersedes='b:1']"],
  ['1.0', "d0 ( .block[id='a'] ?? #a )?  @first", "d0 ( .block[id='b:1'] ?? #a )? @first"],
  ['1.0', "[id='c']   .block", "[id='c']   .block"],
  ['1.0', "[id~'a'][id<'a'][key='a'][content='a'][data_a=a] +a", "[id~'a'][id<'a'][key='a'][content='a'][data_a=a] +a"],
  ['1.0', '[id=null]', '[id=null]'],
  ['1.0', '[id=a', '[id=a'],
]

test.each(ROWS)('in PACT/%s %j becomes %j', (dialect, text, renamed) => {
  expect(renameIds(text, dialect, rename)).toBe(renamed)
})
