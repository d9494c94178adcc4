// The documents' fixtures are printed without most headers; D4 says what is filled in. This is that rule, written a second
// time and only as far as the oracle needs it: good fixtures in, an OracleTree with every header out.

import type { OracleTree } from './selector.js'

/** `{ spec_version?, cycle?, root: { children: […] } }` as the documents print it. */
export type PrintedSnapshot = { spec_version?: string; cycle?: number; root: Record<string, unknown> }

export function fillFixture(printed: PrintedSnapshot): { cycle: number; tree: OracleTree } {
  const cycle = printed.cycle ?? 1
  const names = printed.spec_version?.startsWith('PACT/1') === true ? ['seg', 'cont', 'block'] : ['mt', 'mc', 'cb']
  const regions = (printed.root['children'] ?? []) as Record<string, unknown>[]
  const missing = ['^sys', '^seq', '^ah']
    .filter((name) => !regions.some((region) => region['nodeType'] === name))
    .map((nodeType) => ({ id: nodeType.slice(1), nodeType, children: [] }))
  const root = { id: 'root', nodeType: '^root', ...printed.root, children: [...regions, ...missing] }
  return { cycle, tree: fillNode(root, undefined, 0, cycle, names) }
}

function fillNode(
  node: Record<string, unknown>,
  parentType: unknown,
  index: number,
  cycle: number,
  names: readonly string[],
): OracleTree {
  const children = node['children'] as Record<string, unknown>[] | undefined
  const byShape = parentType === '^seq' ? names[0] : children === undefined ? names[2] : names[1]
  const filled = {
    nodeType: byShape,
    offset: 0,
    ttl: null,
    priority: 0,
    cycle,
    created_at_ns: 0n,
    created_at_iso: '1970-01-01T00:00:00.000000000Z',
    creation_index: index,
    ...node,
  }
  if (children === undefined) return filled
  return { ...filled, children: children.map((child, at) => fillNode(child, filled.nodeType, at, cycle, names)) }
}
