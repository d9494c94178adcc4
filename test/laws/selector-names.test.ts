// Names that selectors ask for and files give: an imported attribute is found under its own name, and `tag` and `tags` are
// one list (D21, N139).

import fc from 'fast-check'
import { importSnapshot } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { ATTRIBUTES } from '../../src/selector/names.js'
import { reopened } from '../support/reopened.js'
import { runs } from '../support/runs.js'

/** A 1.0 file with the given blocks in the core of the head. */
function fileOf(...blocks: readonly object[]): object {
  const core = {
    id: 'core',
    nodeType: 'cont',
    offset: 0,
    children: blocks.map((block, i) => ({ id: `b${i}`, ...block })),
  }
  return { spec_version: 'PACT/1.0.0', root: { children: [{ id: 'ah', nodeType: '^ah', children: [core] }] } }
}

/** A value of each known name as a file gives it. */
const GIVEN: Readonly<Record<string, string | number | boolean | readonly string[]>> = {
  id: 'node-7',
  offset: 4,
  ttl: 6,
  cad: 2,
  priority: 3,
  cycle: 1,
  created_at_ns: 1_000,
  created_at_iso: '1970-01-01T00:00:00.000001000Z',
  creation_index: 5,
  role: 'critic',
  kind: 'opinion',
  key: 'k',
  tag: 'audit',
  tags: ['audit'],
  content: 'Hello',
  refs: ['b0'],
  supersedes: 'older',
  removable: true,
  pinned: true,
  provenance: 'a crawler',
  type: 'note',
}

/** The engine works these out; a file's attribute of such a name is kept, and selectors do not see it. */
const COMPUTED: readonly string[] = ['age', 'born_turn', 'depth', 'content_hash', 'ephemeral', 'sticky']

describe('an imported attribute is found by its name', () => {
  test('every known name is either given by a file or computed', () => {
    expect([...ATTRIBUTES].sort()).toEqual([...Object.keys(GIVEN), ...COMPUTED].sort())
  })

  test.each(Object.entries(GIVEN))('[%s] with the value of the file', (name, value) => {
    const cad = name === 'cad' ? { key: 'k', ttl: 1 } : {}
    const iso = name === 'created_at_iso' ? { created_at_ns: 1_000 } : {}
    const ctx = importSnapshot(fileOf({}, { id: 'other', content: '', ...cad, ...iso, [name]: value }))
    const id = name === 'id' ? 'node-7' : 'other'
    const literal = JSON.stringify(Array.isArray(value) ? value[0] : value)
    const test = Array.isArray(value) ? `${name}~${literal}` : `${name}=${literal}`
    expect(ctx.select(`[${name}]`)).toContain(id)
    expect(ctx.select(`{ ${test} }`), test).toContain(id)
    expect(ctx.select(`.block[${test}]`), test).toContain(id)
  })

  test('any other name, with any text', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((each) => !ATTRIBUTES.includes(each))
    fc.assert(
      fc.property(name, fc.string(), (attribute, value) => {
        fc.pre(!['children', 'parent', 'nodeType'].includes(attribute))
        const ctx = importSnapshot(fileOf({ content: 'x', [attribute]: value }, { content: 'y' }))
        expect(ctx.select(`[${attribute}='${value.replaceAll(/[\\']/g, '\\$&')}']`)).toEqual(['b0'])
        expect(ctx.select(`[${attribute}]`)).toEqual(['b0'])
      }),
      { numRuns: runs(100) },
    )
  })
})

const TAGGED = fileOf(
  { content: 'a text', tag: 'audit' },
  { content: 'a list', tag: ['p1', 'audit', 'p1'] },
  { content: 'tags', tags: ['audit'] },
  { content: 'both', tags: ['z', 'audit'], tag: ['audit', 'p1'] },
  { content: 'an empty list', tag: [] },
  { content: 'no text', tag: 5 },
  { content: 'some texts', tag: ['p1', 5, null] },
  { content: 'none' },
)

const ANSWERS: readonly (readonly [selector: string, ids: string])[] = [
  ['{ tag="audit" }', 'b0 b1 b2 b3'],
  ["[tags='audit']", 'b0 b1 b2 b3'],
  ['+audit', 'b0 b1 b2 b3'],
  ["[tag~'audit']", 'b0 b1 b2 b3'],
  ['+audit+p1', 'b1 b3'],
  ["[tag in ['z', 'p1']]", 'b1 b3 b6'],
  ["[tag!='audit'].block", 'b4 b5 b6 b7'],
  ['^ah .block[tag]', 'b0 b1 b2 b3 b6'],
  ['^ah .block[tags]', 'b0 b1 b2 b3 b6'],
  ['^ah .block[tag=null]', 'b4 b5 b7'],
  ["[tag.0='z']", 'b3'],
]

describe('an imported tag', () => {
  test.each(ANSWERS)('%s finds %s', (selector, ids) => {
    expect(importSnapshot(TAGGED).select(selector)).toEqual(ids.split(' '))
  })

  test('is in `tags` of the node, and in its attributes as it came', () => {
    const ctx = importSnapshot(TAGGED)
    expect(['b0', 'b1', 'b3'].map((id) => ctx.node(id)?.tags)).toEqual([
      ['audit'],
      ['p1', 'audit'],
      ['z', 'audit', 'p1'],
    ])
    expect(ctx.node('b1')?.attributes).toEqual({ tag: ['p1', 'audit', 'p1'] })
  })

  test('is written back as it came: from memory, a reopened store, and forks of both', async () => {
    const ctx = importSnapshot(TAGGED)
    ctx.commit()
    const bytes = ctx.export('@t0')
    const stored = await reopened(ctx)
    const forked = await stored.fork('@t0', { id: 'fork' })
    for (const each of [ctx, ctx.fork('@t0'), importSnapshot(bytes), stored, forked]) {
      expect(each.export('@t0')).toEqual(bytes)
      for (const [selector, ids] of ANSWERS) {
        expect(each.select(`@t0 ${selector.replace('^ah ', '^seq ')}`), selector).toEqual(ids.split(' '))
      }
    }
  })

  test('gives way to the tags of `update` and `replace`', () => {
    const ctx = importSnapshot(TAGGED)
    ctx.update('[id="b0"]', { tags: [...ctx.node('b0')!.tags, 'seen'] })
    ctx.update('[id="b1"]', { tags: [] })
    const replaced = ctx.replace('[id="b3"]', { tags: ['new'] })
    expect(ctx.select('+audit')).toEqual(['b0', 'b2'])
    expect(ctx.select('[tag=new]')).toEqual(replaced.map(({ id }) => id))
    expect(ctx.node('b0')?.attributes).toEqual({})
    ctx.update('[id="b6"]', { priority: 2 })
    expect(ctx.node('b6')?.attributes).toEqual({ tag: ['p1', 5, null] })
  })
})
