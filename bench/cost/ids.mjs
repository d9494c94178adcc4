// Ids still there: of the paths, ids and numbers in the arguments of the calls that the agent made next, and that the full history held, the
// share that the request still held. A request that lacks one makes the model guess, or look again.

const PATH = /[\w@~.-]*(?:\/[\w@~.-]+)+/g
const FILE = /\b[\w-]+\.[a-z]{1,5}\b/g
const ID = /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{4,}\b/g
const NUMBER = /\b\d{3,}\b/g

/** The paths, ids and numbers in the arguments of a call. */
export function idsIn(text) {
  const found = new Set()
  for (const value of valuesIn(text))
    for (const pattern of [PATH, FILE, ID, NUMBER]) for (const [id] of value.matchAll(pattern)) found.add(id)
  return found
}

/** The texts in the JSON of a call, or its whole text. */
function valuesIn(text) {
  const [, args] = /^\S* ?([^]*)$/.exec(text)
  try {
    return leaves(JSON.parse(args))
  } catch {
    return [args]
  }
}

function leaves(value) {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return [String(value)]
}

/** Answers, for the requests of one conversation, how many of the needed ids the full history held, and how many the request did. */
export class IdIndex {
  #texts
  #blocks = []
  #holders = new Map()

  constructor({ conversation, texts }) {
    this.#texts = texts
    this.#blocks = conversation.flatMap(({ blocks }, message) => blocks.map((block) => ({ block, message })))
  }

  count(request, reply, upTo) {
    const needed = reply.blocks
      .filter(({ kind }) => kind === 'call')
      .flatMap((block) => [...idsIn(this.#texts.get(block))])
    const blocks = request.flatMap((message) => message.blocks)
    const sent = new Set(blocks)
    // The note of pruning is written by the strategy itself.
    const notes = blocks.filter(({ kind }) => kind === 'text').flatMap(({ names = [] }) => names)
    let [held, kept] = [0, 0]
    for (const id of new Set(needed)) {
      const holders = this.#holdersOf(id).filter(({ message }) => message < upTo)
      if (holders.length === 0) continue
      held += 1
      if (holders.some(({ block }) => sent.has(block)) || notes.some((note) => note.includes(id))) kept += 1
    }
    return { held, kept }
  }

  #holdersOf(id) {
    let holders = this.#holders.get(id)
    if (holders === undefined) {
      holders = this.#blocks.filter(({ block }) => this.#texts.get(block).includes(id))
      this.#holders.set(id, holders)
    }
    return holders
  }
}
