// The rooms under src/, held as data: what each may import, what may be used where, how long a file may be. Changing a row is a
// decision (docs/implementers/decisions), not a fix. test/docs/architecture.test.ts reads it against every import, and
// test/docs/architecture-docs.test.ts against the table in docs/architecture.md.

import type { Rules } from './architecture.js'

const BEFORE_CONTEXT = [
  'errors',
  'core',
  'codec',
  'timeline',
  'selector',
  'query',
  'edit',
  'commit',
  'diff',
  'thread',
  'tokens',
  'attempts',
  'reports',
]
const BEHIND_A_DOOR = ['errors', 'formats', 'core', 'api', 'commands', 'context', 'store']

/** Rooms that are planned have a row too, so that their first file already finds its rules. */
export const RULES: Rules = {
  rooms: [
    { name: 'errors', browser: true, mayImport: [] },
    { name: 'formats', browser: true, mayImport: [] },
    { name: 'core', browser: true, mayImport: ['errors'] },
    { name: 'codec', browser: true, mayImport: ['errors', 'core'], packages: ['@noble/hashes'] },
    { name: 'timeline', browser: true, mayImport: ['errors', 'core', 'codec'] },
    { name: 'selector', browser: true, mayImport: ['errors', 'core'] },
    {
      name: 'query',
      browser: true,
      mayImport: ['errors', 'core', 'codec', 'timeline', 'selector'],
      folders: ['plan', 'match', 'memory', 'search'],
    },
    { name: 'edit', browser: true, mayImport: ['errors', 'core', 'codec', 'timeline', 'selector'] },
    { name: 'commit', browser: true, mayImport: ['errors', 'core', 'codec', 'timeline'] },
    { name: 'diff', browser: true, mayImport: ['errors', 'core', 'codec', 'timeline', 'query'] },
    { name: 'thread', browser: true, mayImport: ['errors', 'core', 'codec', 'timeline'] },
    { name: 'tokens', browser: true, mayImport: ['errors', 'core'], packages: ['gpt-tokenizer'] },
    { name: 'attempts', browser: true, mayImport: ['errors', 'core', 'codec', 'timeline', 'thread'] },
    {
      name: 'reports',
      browser: true,
      mayImport: ['errors', 'core', 'codec', 'timeline', 'commit', 'diff', 'thread', 'tokens'],
    },
    { name: 'context', browser: true, mayImport: BEFORE_CONTEXT, doors: { persistence: ['store'] } },
    {
      name: 'cost',
      browser: true,
      mayImport: ['errors', 'formats', 'core', 'codec', 'context'],
      typesOf: ['commit'],
    },
    { name: 'store', mayImport: ['errors', 'core', 'codec', 'timeline', 'edit', 'attempts', 'context'] },
    { name: 'adapters', mayImport: ['errors', 'formats', 'core', 'codec', 'timeline', 'edit', 'thread', 'context'] },
    {
      name: 'api',
      browser: true,
      mayImport: ['errors', 'formats', 'core'],
      typesOf: ['edit', 'thread', 'context'],
    },
    {
      name: 'commands',
      mayImport:
        'errors formats core codec selector edit tokens attempts reports cost api context adapters store'.split(' '),
    },
    { name: 'server', mayImport: BEHIND_A_DOOR, packages: ['hono', '@hono/node-server'] },
    { name: 'client', browser: true, mayImport: ['errors', 'api'], typesOf: ['core', 'edit'] },
    {
      name: 'mcp',
      mayImport: [...BEHIND_A_DOOR, 'server'],
      typesOf: ['edit'],
      packages: ['@modelcontextprotocol/server'],
    },
    { name: 'sessions', mayImport: ['errors', 'store'] },
    { name: 'claude-agent-sdk', mayImport: ['errors', 'core', 'codec', 'store', 'sessions'] },
    {
      name: 'openai-agents',
      mayImport: ['errors', 'core', 'codec', 'adapters', 'store', 'sessions'],
      typesOf: ['edit'],
      packages: ['@openai/agents-core'],
    },
    {
      name: 'langgraph',
      mayImport: ['errors', 'codec', 'selector', 'store', 'sessions'],
      typesOf: ['core', 'context'],
      packages: ['@langchain/langgraph-checkpoint'],
    },
    {
      name: 'cli',
      mayImport: [...BEHIND_A_DOOR, 'cost', 'diff', 'edit', 'mcp', 'reports', 'server'],
      packages: ['commander', 'picocolors'],
    },
    { name: 'offline', mayImport: ['commands'] },
    {
      name: 'inspector',
      mayImport: ['errors', 'core', 'selector', 'api'],
      packages: ['preact', '@preact/signals', 'fast-myers-diff'],
    },
  ],
  // Time, chance, environment, locale, the Unicode version of the host, network, output: whatever would make bytes differ between two machines, or is
  // missing in a browser. `Date` itself may be named (`instanceof Date`); making one asks the clock or the host's parser.
  ambient: [
    'Date.now, new Date, Date(), performance, setTimeout, setInterval, setImmediate',
    'Math.random, crypto.getRandomValues, crypto.randomUUID',
    'process, Buffer, require, __dirname, __filename, navigator, fetch, console',
    'Intl, .localeCompare, .toLocaleString, .toLocaleDateString, .toLocaleTimeString',
    '.toLocaleLowerCase, .toLocaleUpperCase, .normalize, \\p{…}',
  ].flatMap((names) => names.split(', ')),
  exceptions: [
    {
      path: 'codec/sha256.ts',
      uses: ['process'],
      why: "asks for Node's own SHA-256 where there is one, without an import that a browser could not resolve",
    },
    {
      path: 'tokens/tokenizer.ts',
      uses: ['process'],
      why: "asks for Node's own require at the first count, so that a tokenizer nobody uses is neither needed nor loaded",
    },
    {
      path: 'codec/iso-time.ts',
      uses: ['new Date'],
      why: 'writes a given time as UTC text; asks no clock and no zone',
    },
    {
      path: 'core/one-line.ts',
      uses: ['\\p{…}'],
      why: 'makes lines for people: a newer host spells out more invisible characters and cuts between other marks',
    },
    {
      path: 'tokens/long-runs.ts',
      uses: ['\\p{…}'],
      why: 'finds what gpt-tokenizer takes for one word, which asks the host for letters too',
    },
    {
      path: 'context/',
      uses: ['Date.now', 'performance', 'process.hrtime'],
      why: 'the default clock; every other room receives its time as an argument',
    },
    {
      path: 'api/http.ts',
      uses: ['fetch'],
      why: 'asks a server, which is what a client is for; another fetch can be given',
    },
    {
      path: 'client/events.ts',
      uses: ['setTimeout'],
      why: 'waits before a stream of events that broke is asked for again',
    },
    {
      path: 'context/create.ts',
      uses: ['setTimeout'],
      why: 'lets other work have its turn while a large snapshot is imported; what comes out does not depend on it',
    },
  ],
  maxLines: 450,
}
