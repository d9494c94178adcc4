// Call ids as Claude takes them: of these characters, and each once in a request.

import type { CallPart, Part } from '../conversation/neutral.js'
import { derivedId } from '../conversation/read-part.js'
import type { Pen } from '../conversation/request-format.js'
import { CALL_ID } from './fits.js'

export class CallIds {
  readonly #pen: Pen
  readonly #seen = new Set<string>()
  /** The ids of calls, by what their results call them: those of the newest call. */
  readonly #given = new Map<string, string>()

  constructor(pen: Pen) {
    this.#pen = pen
  }

  /** The id of a call, or of the call that a result answers. */
  of(part: Part): string {
    if (part.kind === 'result') return this.#given.get(part.callId) ?? fitting(part.callId)
    if (part.kind !== 'call') return ''
    const id = this.#free(part)
    this.#given.set(part.callId, id)
    this.#seen.add(id)
    if (id !== part.callId) {
      const text = `The call ${part.record.id} has the id ${id} here: Claude refuses its own, or has it already.`
      this.#pen.note('renamed-id', part.record, text)
    }
    return id
  }

  /** Some servers count the calls of each reply from 0, so an id may be in every turn: then the node tells them apart, wherever it stands. */
  #free({ callId, record }: CallPart): string {
    const isFree = (id: string): boolean => !this.#seen.has(id) && !this.#pen.taken.has(id)
    const own = fitting(callId)
    if (isFree(own)) return own
    for (let n = 1; ; n++) {
      const id = derivedId(`${callId} ${record.id} ${n}`)
      if (isFree(id)) return id
    }
  }
}

function fitting(callId: string): string {
  return CALL_ID.test(callId) ? callId : derivedId(callId)
}
