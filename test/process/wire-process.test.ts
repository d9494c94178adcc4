// The script that compares the types of the providers' clients with our tables: it sees what is planted, and nothing in what is known.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { compare, FORMATS, sourcesOf } from '../../scripts/wire/formats.mjs'
import { schemasOf } from '../../scripts/wire/types.mjs'
import { unknownIn } from '../../scripts/wire/unknown.mjs'
import * as kinds from '../../src/adapters/anthropic/kinds.js'
import * as read from '../../src/adapters/anthropic/read.js'
import * as fit from '../../src/adapters/conversation/fit.js'

const MODULES: Readonly<Record<string, unknown>> = {
  'anthropic/kinds.js': kinds,
  'anthropic/read.js': read,
  'conversation/fit.js': fit,
}

const KNOWN = `type Text = { type: 'text'; text: string; citations?: object[] | null }
  type Picture = { type: 'image'; source: { type: 'url'; url: string } | { type: 'file'; file_id: string } }`

/** The findings of the script in some types of Claude's messages. */
function found(types: Readonly<{ parts: string; stops: string; reply: string }>): readonly string[] {
  const sources = Object.entries(types).map(([name, type]) => {
    return [`anthropic.${name}`, `export type Asked = ${type}\n${KNOWN}\n`]
  })
  const schemas = schemasOf(Object.fromEntries(sources) as Record<string, string>, import.meta.dirname)
  return compare('anthropic', schemas, (path) => MODULES[path]).map(({ what, address }) => `${what} ${address}`)
}

test('unknown kinds, keys, words, stops and keys of a reply are found, each at its address, and nothing that is known', () => {
  const hologram = `{ type: 'hologram'; scene: string }`
  const result = `{ type: 'tool_result'; tool_use_id: string; content?: string | (Text | Picture | { type: 'smell'; data: string })[] }`
  const picture = `{ type: 'image'; depth?: number; source: { type: 'url'; url: string; size?: number } | { type: 'ftp'; host: string } }`
  const marked = `{ type: 'text'; text: string; cache_control?: { type: 'ephemeral'; ttl?: '1h' | '1d' } }`
  const reply = '{ id: string; content: Text[]; mood: string }'
  expect(
    found({ parts: [hologram, result, picture, marked].join(' | '), stops: `'end_turn' | 'bored'`, reply }),
  ).toEqual([
    'part hologram',
    'part image.depth',
    'part image.source.ftp',
    'part image.source.url.size',
    'part text.cache_control.ttl.1d',
    'part tool_result.content.smell',
    'stop bored',
    'reply mood',
  ])
})

test('a table that knows nothing has every kind of every format listed: no type of a client is silently any', () => {
  const names = Object.keys(FORMATS)
  const schemas = schemasOf(sourcesOf(names), new URL('../../scripts', import.meta.url).pathname)
  const listed = names.map((name) => {
    const all = ['parts', 'stops'].map((what) => unknownIn(schemas[`${name}.${what}`] ?? {}, () => false))
    return [name, ...all.map((addresses) => addresses.length >= 5)]
  })
  expect(listed).toEqual(names.map((name) => [name, true, true]))
})

test('the script ends with 0 and lists as JSON, and refuses what it does not know', async () => {
  const run = (...args: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ['scripts/wire.mjs', ...args])
  const { stdout } = await run('--only', 'mistral', '--json', '--all')
  expect(JSON.parse(stdout)).toMatchObject({
    versions: { '@mistralai/mistralai': expect.any(String) },
    found: [{ format: 'mistral', what: 'stop', address: 'error', why: 'the stop is other' }],
  })
  expect((await run('--help')).stdout).toContain('--latest')
  await expect(run('--only', 'cohere')).rejects.toMatchObject({ code: 2 })
})
