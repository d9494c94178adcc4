// Warnings: the newest are kept, and each is passed to the caller's `onWarning` when it occurs.

import type { Warning } from '../core/index.js'
import type { Gate } from './write-gate.js'

/** The number of warnings that a context keeps, and of subjects that it warns of only once. */
const KEPT = 1000

const NONE: readonly Warning[] = Object.freeze([])

export class Warnings {
  readonly #tell: ((warning: Warning) => void) | undefined
  readonly #gate: Gate
  #list: readonly Warning[]
  #subjects: Set<string> | undefined

  /** `first` are the warnings of an import, which were already reported. */
  constructor(first: readonly Warning[], tell: ((warning: Warning) => void) | undefined, gate: Gate) {
    this.#list = first.length === 0 ? NONE : Object.freeze(first.slice(-KEPT))
    this.#tell = tell
    this.#gate = gate
  }

  /** Oldest first. */
  get list(): readonly Warning[] {
    return this.#list
  }

  /** Takes over the warnings of a context that this one continues, without reporting them again. */
  takeOver(others: Warnings): void {
    const known = new Set(others.#list.map(({ message }) => message))
    const own = this.#list.filter(({ message }) => !known.has(message))
    this.#list = Object.freeze([...others.#list, ...own].slice(-KEPT))
    this.#subjects = others.#subjects
  }

  /** Adds a warning; the listener can neither write to the context nor break the call under way. */
  add(message: string, details: Warning['details']): void {
    for (const value of Object.values(details)) if (Array.isArray(value)) Object.freeze(value)
    const warning = Object.freeze({ message, details: Object.freeze(details) })
    this.#list = Object.freeze([...this.#list.slice(1 - KEPT), warning])
    const tell = this.#tell
    if (tell !== undefined) this.#gate.aside(() => tell(warning))
  }

  /** Warns once of a subject; of those warned of longest ago it may warn again, since not all can be remembered. */
  once(subject: string, message: string, details: Warning['details']): void {
    const subjects = (this.#subjects ??= new Set())
    if (subjects.has(subject)) return
    if (subjects.size >= KEPT)
      for (const oldest of subjects) {
        subjects.delete(oldest)
        break
      }
    subjects.add(subject)
    this.add(message, details)
  }
}
