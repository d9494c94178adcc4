// The pen that a format writes with: what it says of what it writes is written down here.

import type { NodeRecord } from '../../core/index.js'
import { Owners, type Owned } from './owners.js'
import type { Piece } from './piece.js'
import type { Noted, RepairCode } from './repairs.js'
import type { OwnText, Pen } from './request-format.js'

export class Writing implements Pen {
  readonly owners: Owners
  readonly repairs: Noted[] = []
  readonly repair: boolean
  readonly taken: Pen['taken']
  readonly #isLast: boolean
  /** Whether what was written may read otherwise where it is not the last. */
  knowsLast = false

  /** `pieces` are what was written before, of which more may be said. */
  constructor(repair: boolean, taken: Pen['taken'], isLast: boolean, pieces?: readonly Piece[]) {
    this.repair = repair
    this.taken = taken
    this.#isLast = isLast
    this.owners = new Owners(pieces)
  }

  get isLast(): boolean {
    this.knowsLast = true
    return this.#isLast
  }

  own<T extends object>(made: T, { id }: NodeRecord): T {
    this.owners.own(made, id)
    return made
  }

  ownAt<T extends object>(made: T, key: string, { id }: NodeRecord): T {
    this.owners.ownAt(made, key, id)
    return made
  }

  ownTexts<T extends object>(made: T, key: string, texts: readonly OwnText[], between: string): T {
    this.owners.ownAt(made, key, joinedTexts(texts, between))
    return made
  }

  like<T extends object>(made: T, original: object): T {
    this.owners.like(made, original)
    return made
  }

  comesFrom<T extends object>(made: T, record: NodeRecord): T {
    this.owners.comesFrom(made, record)
    return made
  }

  originOf(made: object): NodeRecord | undefined {
    return this.owners.originOf(made)
  }

  note(code: RepairCode, { id }: NodeRecord, text: string, callId?: string): void {
    this.repairs.push({ repair: Object.freeze({ code, node: id, text }), callId })
  }
}

function joinedTexts(texts: readonly OwnText[], between: string): readonly Owned[] {
  return texts.flatMap(({ text, record }, i) => [
    ...(i === 0 || between === '' ? [] : [{ text: between, node: undefined }]),
    { text, node: record.id },
  ])
}
