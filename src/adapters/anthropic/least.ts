// The shortest prefix that a model keeps in its prompt cache, as Anthropic's pages had it in 2026. Below it a mark does nothing, and no error says so.

const LEAST: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/(?:opus-4-[56]|haiku-4-5)/, 4096],
  [/(?:opus-4-7|haiku-3|3-5-haiku|3-haiku)/, 2048],
  [/(?:opus-5|fable-5|mythos-5|sonnet-5-5)/, 512],
  [/claude/, 1024],
]

/** The least number of tokens that a model of Claude caches; undefined for any other model. */
export function leastCached(model: string): number | undefined {
  // Some hosts write claude-opus-4.6.
  const name = model.toLowerCase().replaceAll('.', '-')
  return name.includes('claude') ? LEAST.find(([pattern]) => pattern.test(name))?.[1] : undefined
}
