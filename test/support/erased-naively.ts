// The rest of an exported tree after erasing, computed without the engine (D56).

import type { ExportedNode } from './context.js'

export function erasedNaively(node: ExportedNode, ids: ReadonlySet<string>): ExportedNode {
  const children = node.children?.map((child) => erasedNaively(child, ids))
  const list = node['pact:compacted'] as { nodes: { id: string; of?: string }[] } | undefined
  // D63: of an erased node, the list of a summary keeps the id.
  const nodes = list?.nodes.map(({ id, of, ...rest }) => {
    return { id, ...(of === undefined ? {} : { of }), ...(ids.has(id) ? { erased: true } : rest) }
  })
  const own = {
    ...node,
    ...(list === undefined ? {} : { 'pact:compacted': { ...list, nodes } }),
    ...(children === undefined ? {} : { children }),
  }
  if (!ids.has(node.id)) return own
  const names = Object.keys(own).filter((name) => {
    if (name === 'pact:compacted') return false
    return name === 'data_call_id' || !(name === 'provenance' || /^(data_|content_)/.test(name) || isForeign(name))
  })
  const kept = Object.fromEntries(names.map((name) => [name, own[name as keyof typeof own]]))
  if (node['content'] !== undefined) kept['content'] = ''
  return { ...kept, 'pact:erased': true } as unknown as ExportedNode
}

function isForeign(name: string): boolean {
  return name.includes(':') && !name.startsWith('pact:')
}
