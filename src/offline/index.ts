// Answers the questions of the inspector in a page without a server: the conversations are embedded in the page as JSON, and the same commands
// read them. `scripts/bundle.mjs` makes one script of this file; `pctx open --html` puts it in front of the inspector's own.

import { HANDLERS, memoryPool, poolWith, readPortable, type PortableConversation } from '../commands/index.js'

/** The id of the element with the conversations. */
const DATA = 'pact-conversations'

type Host = Readonly<{ document: Readonly<{ getElementById: (id: string) => { textContent: string | null } | null }> }>
type AnyHandler = (pool: ReturnType<typeof memoryPool>, input: object) => Promise<object>

// Commands pause between steps of long work; a browser has no setImmediate.
globalThis.setImmediate ??= ((work: () => void) => setTimeout(work)) as unknown as typeof setImmediate

const { document } = globalThis as unknown as Host
const given = JSON.parse(document.getElementById(DATA)?.textContent ?? '[]') as readonly PortableConversation[]
const reading = Promise.all(given.map((each) => readPortable(each))).then((contexts) =>
  poolWith(memoryPool(...contexts), { readOnly: true, limits: undefined }),
)

/** The inspector calls this in place of a server; the errors are those of the commands. */
async function answer(name: keyof typeof HANDLERS, input: object): Promise<object> {
  const handle = HANDLERS[name] as AnyHandler
  return handle(await reading, input)
}

Object.assign(globalThis, { pactAnswer: answer })
