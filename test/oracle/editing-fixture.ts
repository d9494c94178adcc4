// Shared by the tests of the editing model: a model with a plain clock, a short history, and ways to look at a tree.

import { expect } from 'vitest'

import { EditingOracle, type EditingOptions, OracleError } from './editing.js'

export type Tree = { id: string; children?: Tree[]; [header: string]: unknown }

export const STEP = 1_048_576

/** A clock that gives 10, 20, 30… and says how often it was read. */
export function make(options: Partial<EditingOptions> = {}) {
  let readings = 0
  const oracle = new EditingOracle({ dialect: '1.0', clock: () => BigInt((readings += 1) * 10), ...options })
  return { oracle, readings: () => readings }
}

/** Three turns, each with pre-context, one core block and post-context; the ids of turn c are block:c-0, -2 and -3. */
export function history(options: Partial<EditingOptions> = {}): EditingOracle {
  const { oracle } = make(options)
  for (const name of ['one', 'two', 'three']) {
    oracle.add({ content: `${name} pre`, zone: 'pre' })
    oracle.add({ content: `${name} core`, role: 'user' })
    oracle.add({ content: `${name} post`, zone: 'post' })
    oracle.commit()
  }
  return oracle
}

export function nodesOf(tree: Tree): Tree[] {
  return [tree, ...(tree.children ?? []).flatMap(nodesOf)]
}

export function nodeOf(oracle: EditingOracle, id: string, lens: 'working' | number = 'working'): Tree | undefined {
  return nodesOf(oracle.tree(lens)).find((node) => node.id === id)
}

export function parentOf(oracle: EditingOracle, id: string): string | undefined {
  return nodesOf(oracle.tree('working')).find((node) => node.children?.some((child) => child.id === id))?.id
}

/** `offset content` of the children, in order; a container shows its id. */
export function rows(oracle: EditingOracle, id: string): string[] {
  return nodeOf(oracle, id)!.children!.map((child) => {
    const shown = typeof child['content'] === 'string' ? child['content'] : child.id
    return `${String(child['offset'])} ${shown}`
  })
}

export function idsAtDepth(oracle: EditingOracle, depth: number): string {
  const segments = oracle.tree('working').children![1]!.children!
  return segments[segments.length - depth]!.id
}

/** Runs what must be refused, checks the code and that nothing changed, not even a counter. */
export function expectRefused(oracle: EditingOracle, code: string, run: () => unknown): void {
  const before = oracle.exportText('working')
  const undoable = oracle.undoable
  let thrown: unknown
  try {
    run()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(OracleError)
  expect((thrown as OracleError).code).toBe(code)
  expect(oracle.exportText('working')).toBe(before)
  expect(oracle.undoable).toBe(undoable)
}
