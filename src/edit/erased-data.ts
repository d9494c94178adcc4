// An edit as data without contents (D56), for edits whose nodes were erased. Headers that shape the tree stay, so that a replay still gives
// that tree. Everything else that the edit made is emptied with the erased node, since the data does not say which text belongs to which
// node.

import type { CompactedNode } from '../core/index.js'
import { erasedEntries } from '../codec/index.js'
import { dataOf, type Data } from './said.js'

export function erasedData(data: Data, ids: ReadonlySet<string>, isOwn: boolean): Data {
  const { nodes, ...others } = data
  const listed = nodes === undefined ? {} : { nodes: erasedEntries(nodes as readonly CompactedNode[], ids) }
  // Nodes that an edit only lists have texts of their own.
  return isOwn ? erasedWhole({ ...others, ...listed }) : dataOf({ ...others, ...listed })
}

function erasedWhole({ content, header, spec, options, ...rest }: Data): Data {
  return dataOf({
    ...rest,
    ...(content === undefined ? {} : { content: '' }),
    ...(header === undefined ? {} : { header: erasedSpec(header as Data) }),
    ...(spec === undefined ? {} : { spec: erasedSpec(spec as Data) }),
    ...(options === undefined ? {} : { options: erasedOptions(options as Data) }),
  })
}

function erasedSpec(spec: Data): Data {
  const kept = Object.entries(spec).filter(([name]) => !SAYS.test(name) || name === 'data_call_id')
  return dataOf({
    ...Object.fromEntries(kept),
    ...(spec['content'] === undefined ? {} : { content: '' }),
    ...(spec['children'] === undefined ? {} : { children: (spec['children'] as readonly Data[]).map(erasedSpec) }),
  })
}

/** Headers that do not shape the tree; names with a colon belong to callers. */
const SAYS = /^(?:provenance$|content|data_)|:/

/** The replacements of a redaction are texts as well. */
function erasedOptions(options: Data): Data {
  const replaced = options['replaced'] as readonly Data[] | undefined
  if (replaced === undefined) return options
  return dataOf({ ...options, replaced: replaced.map((each) => erasedReplacement(each)) })
}

function erasedReplacement({ spec, ...place }: Data): Data {
  return dataOf({ ...place, ...(spec === undefined ? {} : { spec: erasedSpec(spec as Data) }) })
}
