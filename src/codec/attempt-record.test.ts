// Damage to an attempt that a store has written: it is found and reported with its place. Round trips are a
// law of attempts (src/attempts/kept-attempts.test.ts).

import { describe, expect, it, test } from 'vitest'

import { toOpenAIChat } from '../adapters/openai/index.js'
import { createContext } from '../index.js'
import { sentRecordsOf } from '../../test/support/attempts.js'
import { refusal, textOf } from '../../test/support/context.js'
import { canonicalJson, decodeAttempt, encodeAttempt } from './index.js'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Raw = { [name: string]: Json }

function written(status: 'running' | 'error'): Uint8Array {
  const ctx = createContext({ clock: () => 1_700_000_000_123_456_789n, attemptClock: () => 10n ** 40n })
  ctx.user({ large: 2n ** 70n, ['__proto__']: 'own', list: [1, 2.5, null] })
  ctx.user('two')
  const attempt = ctx.startAttempt({ provider: 'acme', model: 'large-1', params: {}, request: 'body' })
  if (status === 'error') attempt.fail(new Error('no route'))
  return encodeAttempt(sentRecordsOf(ctx)[0]!)
}

function rendered(): Uint8Array {
  const ctx = createContext({ clock: () => 1n, attemptClock: () => 1n })
  ctx.user('one')
  ctx.commit()
  ctx.user('two')
  const options = { repair: false, blocks: { before: '<{key}>' } }
  ctx.startAttempt({ provider: 'acme', model: 'm', params: {}, for: toOpenAIChat, options, keepRequest: true })
  return encodeAttempt(sentRecordsOf(ctx)[0]!)
}

function bytesOf(raw: unknown): Uint8Array {
  return new TextEncoder().encode(typeof raw === 'string' ? raw : canonicalJson(raw))
}

describe('the record of an attempt', () => {
  it('is canonical JSON, and reads as it was written, frozen, with every digit', () => {
    for (const bytes of [written('running'), written('error')]) {
      const read = decodeAttempt(bytes)
      expect(textOf(encodeAttempt(read))).toBe(textOf(bytes))
      const [node] = read.nodes
      expect(canonicalJson(node!['content'])).toContain(`"__proto__":"own","large":${2n ** 70n}`)
      for (const part of [read, read.nodes, node, node!['content'], read.thread_indexes, read.absent_ids]) {
        expect(Object.isFrozen(part)).toBe(true)
      }
    }
  })

  it('of a request that an adapter made reads as it was written, frozen', () => {
    const read = decodeAttempt(rendered())
    expect(textOf(encodeAttempt(read))).toBe(textOf(rendered()))
    const { structure, adapter_options: options } = read
    expect(structure!.places.length).toBeGreaterThan(0)
    expect(options).toEqual({ repair: false, blocks: { before: '<{key}>' } })
    for (const part of [structure, structure!.nodes, structure!.places, structure!.places[0]!.ids, options])
      expect(Object.isFrozen(part)).toBe(true)
    const dropped = decodeAttempt(bytesOf({ ...(JSON.parse(textOf(rendered())) as Raw), request_body: null }))
    expect(dropped.request_body).toBeNull()
  })

  const requestRows: readonly (readonly [why: string, path: string, change: (raw: Raw) => void])[] = [
    ['a version without an adapter', 'adapter_version', (raw) => void delete raw['adapter']],
    ['an adapter without a version', 'adapter_version', (raw) => void delete raw['adapter_version']],
    ['an adapter without a name', 'adapter', (raw) => (raw['adapter'] = '')],
    ['options that are none', 'adapter_options', (raw) => (raw['adapter_options'] = [])],
    ['a body without its hash', 'request_body', (raw) => void delete raw['request_hash']],
    ['a body that is no text', 'request_body', (raw) => (raw['request_body'] = 5)],
    ['a structure with another name', 'structure.more', (raw) => ((raw['structure'] as Raw)['more'] = 1)],
    ['a structure without nodes', 'structure.nodes', (raw) => void delete (raw['structure'] as Raw)['nodes']],
    [
      'a place without a parent',
      'structure.places[0].parent_id',
      (raw) => void delete ((raw['structure'] as Raw)['places'] as Raw[])[0]!['parent_id'],
    ],
    [
      'a place with a number',
      'structure.places[0].ids[0]',
      (raw) => (((raw['structure'] as Raw)['places'] as Raw[])[0]!['ids'] = [1]),
    ],
  ]
  test.each(requestRows)('of such a request is refused for %s, at %s', (_why, path, change) => {
    const raw = JSON.parse(textOf(rendered())) as Raw
    change(raw)
    const { code, details } = refusal(() => decodeAttempt(bytesOf(raw)))
    expect([code, details['path']]).toEqual(['E_SNAPSHOT_INVALID', path])
  })

  const rows: readonly (readonly [why: string, path: string, change: (raw: Raw) => void])[] = [
    ['a format of another time', 'format', (raw) => (raw['format'] = 2)],
    ['a name that nobody writes', 'cost', (raw) => (raw['cost'] = 1)],
    ['no id', 'attempt_id', (raw) => (raw['attempt_id'] = '')],
    ['half a cycle', 'cycle_id', (raw) => (raw['cycle_id'] = 0.5)],
    ['a status that there is not', 'status', (raw) => (raw['status'] = 'lost')],
    ['an end while it runs', 'ended_at', (raw) => (raw['status'] = 'running')],
    ['no end', 'ended_at', (raw) => (raw['ended_at'] = null)],
    ['a time without its fraction', 'started_at', (raw) => (raw['started_at'] = '2026-01-31T12:00:00Z')],
    ['a reason where nothing failed', 'error', (raw) => (raw['status'] = 'canceled')],
    ['no reason', 'error', (raw) => void delete raw['error']],
    ['a reason with a stack', 'error.stack', (raw) => ((raw['error'] as Raw)['stack'] = 'at')],
    ['a number for a provider', 'provider', (raw) => (raw['provider'] = 7)],
    ['no model', 'model', (raw) => void delete raw['model']],
    ['tokens below 0', 'token_in', (raw) => (raw['token_in'] = -1)],
    ['no tokens', 'token_out', (raw) => void delete raw['token_out']],
    ['a short hash', 'thread_hash', (raw) => (raw['thread_hash'] = 'abc')],
    ['capital digits', 'params_hash', (raw) => (raw['params_hash'] = 'A'.repeat(64))],
    ['no hash', 'request_hash', (raw) => (raw['request_hash'] = null)],
    ['a lens that there is not', 'lens', (raw) => (raw['lens'] = '@now')],
    ['a base before the first', 'base_cycle', (raw) => (raw['base_cycle'] = -1)],
    ['no base attempt', 'base_attempt', (raw) => (raw['base_attempt'] = '')],
    ['a node that is none', 'nodes[1]', (raw) => ((raw['nodes'] as Json[])[1] = 'two')],
    ['a node without an id', 'nodes[0].id', (raw) => void delete ((raw['nodes'] as Raw[])[0] as Raw)['id']],
    ['an index too few', 'thread_indexes', (raw) => void (raw['thread_indexes'] as Json[]).pop()],
    ['indexes out of order', 'thread_indexes[1]', (raw) => void (raw['thread_indexes'] as Json[]).reverse()],
    ['an id that is none', 'absent_ids[0]', (raw) => (raw['absent_ids'] = [3])],
    ['no list', 'absent_ids', (raw) => void delete raw['absent_ids']],
  ]
  test.each(rows)('is refused for %s, at %s', (_why, path, change) => {
    const raw = JSON.parse(textOf(written('error'))) as Raw
    change(raw)
    const { code, details } = refusal(() => decodeAttempt(bytesOf(raw)))
    expect([code, details['path']]).toEqual(['E_SNAPSHOT_INVALID', path])
  })

  it('that ends too early is refused wherever it ends', () => {
    const text = textOf(written('error'))
    for (let end = 0; end < text.length; end += 7) {
      expect(refusal(() => decodeAttempt(bytesOf(text.slice(0, end)))).code).toBe('E_SNAPSHOT_INVALID')
    }
  })
})
