// Pages and manifests as bytes: one form for each, and any other bytes are refused with their place. Damage to
// the bytes of a page is found, and what a tree makes of pages, is in test/stores/pages.test.ts.

import { describe, expect, it } from 'vitest'

import { textOf } from '../../test/support/context.js'
import { createContext } from '../index.js'
import { Context as ContextClass } from '../context/index.js'
import { manifestOf } from '../context/persistence.js'
import { PageBook } from '../timeline/index.js'
import {
  canonicalJson,
  decodeCheckpoint,
  decodeInnerPage,
  decodeLeafPage,
  decodeManifest,
  encodeInnerPage,
  encodeLeafPage,
  encodeManifest,
  pageKey,
  parseJson,
} from './index.js'

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : canonicalJson(value))
}

/** Most of what there is to write, over two levels. */
function written(): Readonly<{ manifest: Uint8Array; leaf: Uint8Array; inner: Uint8Array }> {
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1_000_000_007n) })
  ctx.system.add('rule')
  ctx.add(undefined, { zone: 'pre', removable: true, children: [{ content: 'inside', ttl: 1 }], key: 'k' })
  ctx.user({ huge: 2n ** 70n, ['__proto__']: [1.5, '\ud800'] }, { tags: ['t'], data_call_id: 'c', provenance: 'p' })
  for (let i = 0; i < 40; i++) {
    ctx.commit()
    ctx.user(`turn ${i}`, { refs: ['block:1-4'] })
    ctx.post('tip', { key: 'tip', cad: 3, ttl: 1 })
  }
  ctx.commit()
  const [parts, book] = [ContextClass.partsOf(ctx), new PageBook()]
  const manifest = encodeManifest(manifestOf(parts, parts.timeline.newest, book))
  const [leaf] = book.fresh.values()
  return { manifest, leaf: leaf!, inner: [...book.fresh.values()].at(-1)! }
}

const { manifest, leaf, inner } = written()

type Json = { [name: string]: Json } & Json[]

/** The same with another value at a place. */
function changed(bytes: Uint8Array, path: readonly (string | number)[], value: unknown): Uint8Array {
  const whole = parseJson(textOf(bytes), 100) as unknown as Json
  let at = whole
  for (const step of path.slice(0, -1)) at = at[step as number] as Json
  const last = path.at(-1) as number
  if (value === undefined) Reflect.deleteProperty(at, last)
  else at[last] = value as Json
  return bytesOf(whole)
}

describe('a page', () => {
  it('is canonical JSON, and comes out of what is read of it to the byte', () => {
    for (const bytes of [manifest, leaf, inner]) {
      expect(canonicalJson(parseJson(textOf(bytes), 100))).toBe(textOf(bytes))
    }
    expect(textOf(encodeLeafPage(decodeLeafPage(leaf)))).toBe(textOf(leaf))
    expect(textOf(encodeInnerPage(decodeInnerPage(inner)))).toBe(textOf(inner))
    expect(textOf(encodeManifest(decodeManifest(manifest)))).toBe(textOf(manifest))
  })

  it('is named by the first half of its hash', () => {
    expect(pageKey(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb924')
  })

  it('is no manifest, and a manifest no checkpoint', () => {
    expect(() => decodeCheckpoint(manifest)).toThrow('paged: Nothing of this name is ever written here.')
    expect(() => decodeManifest(leaf)).toThrow('Nothing of this name is ever written here.')
    expect(() => decodeLeafPage(inner)).toThrow('chunks: Nothing of this name is ever written here.')
  })
})

describe('what is never written', () => {
  const link = ['chunks', 0] as const

  it.each<[string, () => unknown, string]>([
    ['another format of a leaf', () => decodeLeafPage(changed(leaf, ['format'], 2)), 'format'],
    ['another format of an inner page', () => decodeInnerPage(changed(inner, ['format'], undefined)), 'format'],
    ['a node without headers', () => decodeLeafPage(changed(leaf, ['nodes', 0], [1, 'id'])), 'nodes[0]'],
    ['a node that never came', () => decodeLeafPage(changed(leaf, ['nodes', 1, 0], -1)), 'nodes[1][0]'],
    ['an empty list', () => decodeLeafPage(changed(leaf, ['emptied'], [])), 'emptied'],
    ['no chunks', () => decodeInnerPage(changed(inner, ['chunks'], [])), 'chunks'],
    ['a key of another kind', () => decodeInnerPage(changed(inner, [...link, 0], 'ABC')), 'chunks[0][0]'],
    ['a height below 0', () => decodeInnerPage(changed(inner, [...link, 1], -1)), 'chunks[0][1]'],
    ['an inner chunk with names', () => decodeInnerPage(changed(inner, [...link, 1], 1)), 'chunks[0]'],
    ['an empty chunk', () => decodeInnerPage(changed(inner, [...link, 2], 0)), 'chunks[0][2]'],
    ['half a count', () => decodeInnerPage(changed(inner, [...link, 3], 0.5)), 'chunks[0][3]'],
    ['half a key', () => decodeInnerPage(changed(inner, [...link, 7], [1, '2'])), 'chunks[0][7]'],
    ['a time that is a number', () => decodeInnerPage(changed(inner, [...link, 8, 1], 5)), 'chunks[0][8][1]'],
    ['a place without an id', () => decodeInnerPage(changed(inner, [...link, 9, 3], '')), 'chunks[0][9][3]'],
    ['a list of hashes that is cut', () => decodeInnerPage(changed(inner, [...link, 15], 'AAAAA')), 'chunks[0][15]'],
    ['a log of something else', () => decodeManifest(changed(manifest, ['paged', 'log'], [1])), 'paged.log[0]'],
    ['a link that is none', () => decodeManifest(changed(manifest, ['paged', 'seq'], [])), 'paged.seq'],
    ['a cycle that is none', () => decodeManifest(changed(manifest, ['paged', 'cycle'], -1)), 'paged.cycle'],
  ])('%s is refused with its place', (_name, decode, path) => {
    expect(decode).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT_INVALID', details: { path } }))
  })

  it('chunks of two heights side by side are refused', () => {
    const [first, ...others] = decodeInnerPage(inner)
    const taller = encodeInnerPage([{ ...first!, height: 1, names: undefined }, ...others])
    expect(() => decodeInnerPage(taller)).toThrow('The chunks of a page are of one height.')
  })

  it('is told with its place also where the text is no JSON', () => {
    expect(() => decodeLeafPage(bytesOf(`${textOf(leaf)}x`))).toThrow('the end of the text')
  })
})
