// The signed thoughts that an edit costs (D58): a provider refuses a thought once something before it has changed.

import type { AdapterPair } from '../adapters/index.js'
import type { Snapshot } from '../context/index.js'
import type { FormatName } from '../formats/index.js'
import type { OpenContext } from './pool.js'

/** The formats whose thoughts are bound. */
const BINDING = ['anthropic', 'ai-sdk', 'bedrock'] as const satisfies readonly FormatName[]

/** The formats of a context that may have bound thoughts. */
export function formatsOfThoughts(ctx: OpenContext): readonly FormatName[] {
  if (ctx.select("[kind='reasoning']", { limit: 1 }).length === 0) return []
  return BINDING.filter((name) => ctx.select(`[data_format='${name}']`, { limit: 1 }).length > 0)
}

/** The number of thoughts that requests would lose with the next commit. */
export function staleThoughts(ctx: OpenContext, renderers: readonly (AdapterPair['to'] | undefined)[]): number {
  if (renderers.length === 0) return 0
  const count = (tree: Snapshot): number =>
    renderers.flatMap((to) => to?.(tree).repairs ?? []).filter(({ code }) => code === 'stale-thought').length
  return count(ctx.preview()) - (ctx.cycle === 1 ? 0 : count(ctx.snapshot('@t0')))
}
