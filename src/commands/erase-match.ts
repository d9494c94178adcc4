// An erasure of one text: the newest state keeps its nodes without the text, and history loses the nodes that have it.

import { checkOption, TEXT } from '../errors/index.js'
import type { Store } from '../store/index.js'
import { sel } from '../selector/index.js'

type Options = Readonly<{ match: string; author?: string; reason?: string }>

/** Redacts the text in the newest state, in a commit of its own. Gives the selector of the nodes that still have it. */
export async function redactFirst(store: Store, id: string, selector: string, options: Options): Promise<string> {
  checkOption('match', options.match, TEXT)
  const narrowed = `( ${selector} )${sel`[content~${options.match}]`}`
  const ctx = await store.open(id, { draft: 'leave' })
  const { author } = options
  // In ^sys a redaction changes the node in its place, and the erasure then takes it whole.
  const system = new Set(ctx.nodes('^sys *').map((node) => node.id))
  const ids = ctx.nodes(narrowed).flatMap(({ id: each }) => (system.has(each) ? [] : [each]))
  if (ids.length > 0) {
    ctx.redact(sel`[id in ${ids}]`, options)
    await ctx.commit({ author })
  }
  return narrowed
}
