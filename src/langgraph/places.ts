// The ids of contexts for threads and namespaces: `langgraph/<thread>/<namespace>`, and the same with `/writes` for pending writes. Both parts are
// encoded, so all contexts of a thread follow its prefix in a list.

import type { CheckpointTuple } from '@langchain/langgraph-checkpoint'

import { describe, invalid } from '../errors/index.js'
import type { Store } from '../store/index.js'

export type Place = Readonly<{ thread: string; namespace: string }>

const PREFIX = 'langgraph/'
const WRITES = '/writes'
/** The empty namespace. An encoded one has no `@`. */
const ROOT = '@root'

/** The thread and the namespace of a config; undefined without a thread. */
export function readPlace({ configurable }: CheckpointTuple['config']): Place | undefined {
  const thread: unknown = configurable?.['thread_id']
  const namespace: unknown = configurable?.['checkpoint_ns'] ?? ''
  if (thread === undefined || thread === null) return undefined
  if (typeof thread !== 'string' || thread === '')
    throw invalid('thread_id', `A thread_id is a string that is not empty, not ${describe(thread)}.`)
  if (typeof namespace !== 'string')
    throw invalid('checkpoint_ns', `A checkpoint_ns is a string, not ${describe(namespace)}.`)
  return { thread, namespace }
}

export function threadPrefix(thread: string): string {
  return `${PREFIX}${encoded(thread)}/`
}

export function conversationId({ thread, namespace }: Place): string {
  return threadPrefix(thread) + (namespace === '' ? ROOT : encoded(namespace))
}

export function writesId(place: Place): string {
  return conversationId(place) + WRITES
}

/** The namespaces that have checkpoints: of one thread, or of all. */
export async function* checkpointPlaces(store: Store, config: CheckpointTuple['config']): AsyncGenerator<Place> {
  const place = readPlace(config)
  const prefix = place === undefined ? PREFIX : threadPrefix(place.thread)
  for (let after: string | undefined = prefix; after !== undefined;) {
    const page: Awaited<ReturnType<Store['list']>> = await store.list({ after })
    for (const { id } of page.contexts) {
      if (!id.startsWith(prefix)) return
      const [thread, namespace, ...more] = id.slice(PREFIX.length).split('/')
      if (thread === undefined || namespace === undefined || more.length > 0) continue
      yield { thread: decodeURIComponent(thread), namespace: namespace === ROOT ? '' : decodeURIComponent(namespace) }
    }
    after = page.next
  }
}

/** As in an address, but with `:` and `|` as they are: nested graphs have many of them in their names, and ids are limited to 500 bytes. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%7C', '|')
}
