// Resources: snapshots, threads and nodes by address. An address of a snapshot, `@c12`, means the same bytes for ever, so clients may keep it.

import { ResourceNotFoundError, ResourceTemplate, type McpServer, type Variables } from '@modelcontextprotocol/server'

import { HANDLERS, type ContextPool } from '../commands/index.js'
import { PactError } from '../errors/index.js'
import type { Lens } from '../core/index.js'

const YEAR = 365 * 24 * 3600 * 1000
/** Contexts in a list of resources, and completions; the tool `contexts` has pages. */
const LISTED = 100

/** Ids may contain any character, so the place of a host stays empty. */
export function addressOf(id: string, lens = '@t0', rest = ''): string {
  return `pact:///${encodeURIComponent(id)}/${lens}${rest}`
}

export function addResources(server: McpServer, pool: ContextPool): void {
  const contexts = async (): Promise<{ resources: { uri: string; name: string; mimeType: string }[] }> => {
    const { contexts: found } = await HANDLERS.contexts(pool, { limit: LISTED })
    return { resources: found.map(({ id }) => ({ uri: addressOf(id), name: id, mimeType: JSON_TYPE })) }
  }
  const complete = {
    context: async (begun: string): Promise<string[]> => {
      const { contexts: found } = await HANDLERS.contexts(pool, { limit: 1000 })
      return found
        .map(({ id }) => id)
        .filter((id) => id.startsWith(begun))
        .slice(0, LISTED)
    },
    lens: async (
      begun: string,
      about?: Readonly<{ arguments?: Readonly<Record<string, string>> }>,
    ): Promise<string[]> => {
      const id = about?.arguments?.['context']
      const cycle = id === undefined ? 0 : (await pool.state(id)).cycle
      const lenses = ['@t0', ...Array.from({ length: Math.min(cycle, LISTED) }, (_, i) => `@c${cycle - i}`)]
      return lenses.filter((lens) => lens.startsWith(begun))
    },
  }
  const add = (
    name: string,
    path: string,
    about: string,
    read: (id: string, lens: Lens, variables: Variables) => Promise<unknown>,
    list?: typeof contexts,
  ): void => {
    const template = new ResourceTemplate(`pact:///{context}/{lens}${path}`, { list, complete })
    server.registerResource(name, template, { description: about, mimeType: JSON_TYPE }, async (uri, variables) => {
      const [id, lens] = [text(variables, 'context'), text(variables, 'lens')]
      const answer = await found(uri.href, () => read(id, lens as Lens, variables))
      const value = answer instanceof Uint8Array ? Buffer.from(answer).toString('utf8') : JSON.stringify(answer)
      return {
        contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: value }],
        ttlMs: /^@c\d+$/.test(lens) ? YEAR : 0,
        cacheScope: 'private' as const,
      }
    })
  }
  add(
    'snapshot',
    '',
    'The tree of a context: `@c12` is the snapshot of a cycle, `@t0` the newest.',
    async (id, lens) => (await HANDLERS.export(pool, { id, lens })).bytes,
    contexts,
  )
  add(
    'thread',
    '/thread',
    'The messages of a snapshot, in order.',
    async (id, lens) => (await HANDLERS.thread(pool, { id, lens })).bytes,
  )
  add('node', '/nodes/{node}', 'One node: headers, content, why it is there, its life.', async (id, lens, variables) =>
    HANDLERS.node(pool, { id, lens, node: text(variables, 'node') }),
  )
}

const JSON_TYPE = 'application/json'

/** Variables come as they are in the address. */
function text(variables: Variables, name: string): string {
  const value = variables[name]
  return decodeURIComponent(Array.isArray(value) ? value.join(',') : String(value))
}

async function found<T>(uri: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (PactError.is(error)) throw new ResourceNotFoundError(uri, `${error.code}: ${error.message}`)
    throw error
  }
}
