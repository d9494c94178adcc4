// The groups of rows, in the order of the table. Each file is loaded on demand: a row's process needs its own peers only.

export const GROUPS = {
  commit: () => import('./commit.mjs'),
  heap: () => import('./heap.mjs'),
  history: () => import('./history.mjs'),
  hash: () => import('./hash.mjs'),
  thread: () => import('./thread.mjs'),
  request: () => import('./request.mjs'),
  prefix: () => import('./prefix.mjs'),
  tokens: () => import('./tokens.mjs'),
  query: () => import('./query.mjs'),
  'query again': () => import('./query-again.mjs'),
  'real turns': () => import('./real-turns.mjs'),
  'real turns, first': () => import('./real-first.mjs'),
  diff: () => import('./diff.mjs'),
  edit: () => import('./edit.mjs'),
  memory: () => import('./memory.mjs'),
  carry: () => import('./carry.mjs'),
  bounded: () => import('./bounded.mjs'),
  kept: () => import('./kept.mjs'),
}
