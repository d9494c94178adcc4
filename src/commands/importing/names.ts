// The ids of the contexts that a file becomes.

import type { FoundConversation } from './conversations.js'

export type NameInput = Readonly<{ name: string; id?: string | undefined }>

/** Gives every conversation of a file a name, the same whenever the file is read. */
export class Names {
  readonly #input: NameInput
  readonly #given = new Map<string, number>()
  #count = 0

  constructor(input: NameInput) {
    this.#input = input
  }

  of(found: FoundConversation, isOnly: boolean): string {
    this.#count += 1
    const { id, name } = this.#input
    if (id === undefined && found.id !== undefined && isName(found.id)) return this.#apart(lastPart(found.id))
    return isOnly ? (id ?? name) : `${id ?? name}-${this.#count}`
  }

  /** Two conversations of one file may call themselves the same. */
  #apart(id: string): string {
    const times = (this.#given.get(id) ?? 0) + 1
    this.#given.set(id, times)
    return times === 1 ? id : `${id}-${times}`
  }
}

/** The file's name of an id that is the path of a session; any other id as it is. */
function lastPart(id: string): string {
  return /([^/\\]+)\.jsonl?$/.exec(id)?.[1] ?? id
}

/** A text as an id that a store accepts. */
function isName(id: string): boolean {
  return new TextEncoder().encode(id).length <= 480 && !/\p{Cs}/u.test(id)
}
