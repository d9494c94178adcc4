// An edit as data without what it says (D56): the nodes that it makes or changes say nothing any more, and neither may it.
// The headers that make up the tree stay, so that replaying it still gives that tree. What an edit makes beside an erased
// node is emptied with it: which of its texts was whose is not told here.

import { dataOf, type Data } from './said.js'

export function erasedData({ content, header, spec, options, ...rest }: Data): Data {
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

/** What a header may say beside its place in the tree; names with a colon are somebody's own. */
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
