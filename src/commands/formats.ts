// The formats of providers, by name. Adapters are loaded when one is needed: a command that needs none starts sooner.

import type { AdapterPair } from '../adapters/index.js'
import type { FormatName, RenderedFormat } from '../formats/index.js'

export async function adapterOf(name: FormatName): Promise<AdapterPair> {
  const { ADAPTERS } = await import('../adapters/index.js')
  return ADAPTERS[name]
}

/** Loads the adapters of this package, which read calls in all forms. */
export async function loadAdapters(): Promise<void> {
  await import('../adapters/index.js')
}

/** The renderer of a format; undefined for the provider-neutral thread. */
export async function rendererFor(name: RenderedFormat | undefined): Promise<AdapterPair['to'] | undefined> {
  return name === undefined || name === 'thread' ? undefined : (await adapterOf(name)).to
}
