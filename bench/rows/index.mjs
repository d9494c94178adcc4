// The groups of rows, in the order of the table. Each file is loaded on demand, so that a row's process loads only its own peers.

export const GROUPS = {
  query: () => import('./query.mjs'),
  'query again': () => import('./query-again.mjs'),
  'real turns': () => import('./real-turns.mjs'),
  'real turns, first': () => import('./real-first.mjs'),
  commit: () => import('./commit.mjs'),
  heap: () => import('./heap.mjs'),
  diff: () => import('./diff.mjs'),
  request: () => import('./request.mjs'),
  turn: () => import('./turn.mjs'),
  store: () => import('./store.mjs'),
  'store, PostgreSQL': () => import('./store-postgres.mjs'),
  'store, open': () => import('./store-open.mjs'),
  'store, size': () => import('./store-size.mjs'),
  files: () => import('./files.mjs'),
  start: () => import('./start.mjs'),
  server: () => import('./server-contexts.mjs'),
  inspector: () => import('./inspector.mjs'),
  package: () => import('./package.mjs'),
}
