// Test requests for each route: a few good ones by method and path. A route that is not here has no test, which they notice.

import type { Route } from '../../src/api/index.js'

export const USER = [{ op: 'user', content: 'And then?' }]

/** The requests for each route, by method and path; the ones that read are asked in both ways. */
const ASKED: Readonly<Record<string, readonly (readonly [path: string, body?: object])[]>> = {
  'get /v1/contexts': [['/v1/contexts'], ['/v1/contexts?limit=1']],
  'post /v1/contexts': [
    ['/v1/contexts', { id: 'made' }],
    ['/v1/contexts', { id: 'old', dialect: '0.1' }],
  ],
  'get /v1/contexts/:id': [['/v1/contexts/support-42']],
  'get /v1/contexts/:id/family': [['/v1/contexts/support-42/family']],
  'delete /v1/contexts/:id': [['/v1/contexts/made']],
  'post /v1/contexts/:id/import': [
    ['/v1/contexts/imported/import', { format: 'openai-chat', body: { messages: [{ role: 'user', content: 'Hi' }] } }],
    ['/v1/contexts/imported%2F2/import', { body: JSON.stringify([{ role: 'user', content: 'Hi' }]) }],
  ],
  'get /v1/contexts/:id/snapshots': [['/v1/contexts/support-42/snapshots?limit=2'], ['/v1/contexts/old/snapshots']],
  'get /v1/contexts/:id/log': [['/v1/contexts/support-42/log?limit=2&before=4']],
  'post /v1/contexts/:id/select': [
    ['/v1/contexts/support-42/select', { selector: "@t0 .block[role='user']" }],
    ['/v1/contexts/support-42/select', { selector: '@c1 .block', nodes: true }],
    ['/v1/contexts/support-42/select', { selector: '@t-2..@t0 .block' }],
    ['/v1/contexts/support-42/select', { selector: '^ah .block', base: 4, operations: USER }],
  ],
  'post /v1/contexts/:id/diff': [
    ['/v1/contexts/support-42/diff', { a: '@c1', b: '@t0' }],
    ['/v1/contexts/support-42/diff', { a: '@t0', b: 'preview', detailed: true, operations: USER }],
  ],
  'post /v1/contexts/:id/preview': [['/v1/contexts/support-42/preview', { base: 4, operations: USER, thread: true }]],
  'get /v1/contexts/:id/draft': [['/v1/contexts/support-42/draft'], ['/v1/contexts/old/draft']],
  'put /v1/contexts/:id/draft': [['/v1/contexts/old/draft', { base: 0, version: 0, operations: USER }]],
  'delete /v1/contexts/:id/draft': [['/v1/contexts/old/draft']],
  'post /v1/contexts/:id/commit': [['/v1/contexts/old/commit', { base: 0, operations: USER, key: 'k' }]],
  'post /v1/contexts/:id/fork': [['/v1/contexts/support-42/fork', { lens: '@c2', id: 'forked' }]],
  'get /v1/contexts/:id/attempts': [['/v1/contexts/support-42/attempts']],
  'get /v1/contexts/:id/attempts/:attempt/request': [['/v1/contexts/support-42/attempts/attempt%3A5-0/request']],
  'post /v1/contexts/:id/attempts': [
    [
      '/v1/contexts/support-42/attempts',
      { provider: 'anthropic', model: 'm', params: {}, for: 'anthropic', tokenIn: 9 },
    ],
  ],
  'post /v1/lint': [['/v1/lint', { selector: 'depth(0) .mb' }]],
}

/** The reads below a context, with the options they take. */
const READS: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  export: [{}, { lens: '@c2' }],
  thread: [{}, { lens: '@c1' }],
  'nodes/:node': [{}, { lens: '@c3', for: 'openai-chat' }, { at: '@t0', for: 'thread', full: true }],
  'explain/:node': [{ lens: '@t0' }],
  'recall/:node': [{}],
  compaction: [{}, { keep: 1 }],
  tree: [
    {},
    { from: '@t-1', rows: 40 },
    { open: 'all', q: 'Answer', only: true },
    { find: 'block:1-2', open: ['seg:1-7'] },
  ],
  names: [{}],
  search: [{ words: 'answer' }, { words: 'Answer', at: '@c2', limit: 1 }, { words: 'answer', before: 3 }],
  changes: [
    { a: '@c1', b: '@t0' },
    { a: '@t-1', b: '@t0', rows: 2, without: ['aged'], find: 'block:4-1' },
  ],
  cycle: [{}, { at: '@c2' }],
  timeline: [
    { by: 'name' },
    {},
    { from: 2, to: 3, bins: 2, for: 'anthropic' },
    { bins: 2, binsFrom: 2, binsTo: 3 },
    { open: true },
  ],
  tokens: [{}, { by: 'role', for: 'anthropic' }],
  'token-map': [{}, { at: '@t0' }],
  render: [{ for: 'anthropic' }, { for: 'thread', lens: '@t-1' }, { for: 'gemini' }],
  prefix: [
    { a: '@t-1', b: '@t0' },
    { a: '@c1', b: '@c2', for: 'openai-responses' },
  ],
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

/** Good requests for a route. */
export function requestsFor(route: Route): readonly (readonly [path: string, body?: object])[] {
  const known = ASKED[nameOf(route)]
  if (known !== undefined) return known
  const name = route.path.replace('/v1/contexts/:id/', '')
  // Only a tool's result can be recalled.
  const node = name.startsWith('recall') ? 'block%3A1-4' : 'block%3A1-2'
  const path = `/v1/contexts/support-42/${name.replace(':node', node)}`
  return (READS[name] ?? []).map((asked) => {
    if (route.method === 'post') return [path, { ...asked, base: 4, operations: USER }] as const
    const query = new URLSearchParams()
    for (const [field, value] of Object.entries(asked)) {
      for (const each of Array.isArray(value) ? value : [value]) query.append(field, String(each))
    }
    return [`${path}?${query.toString()}`] as const
  })
}
