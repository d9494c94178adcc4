// Ids that may stand once in a request, such as those of Claude's calls.

export class TakenIds {
  /** Those of what leads the request, which is asked about once. */
  readonly #lead: readonly ReadonlySet<string>[]
  readonly #others = new Set<string>()

  constructor(lead: readonly ReadonlySet<string>[] = []) {
    this.#lead = lead
  }

  has(id: string): boolean {
    for (let i = 0; i < this.#lead.length; i++) if (this.#lead[i]!.has(id)) return true
    return this.#others.has(id)
  }

  add(ids: readonly string[]): void {
    for (let i = 0; i < ids.length; i++) this.#others.add(ids[i]!)
  }

  /** Takes all of them, or none if one is taken already. */
  take(ids: readonly string[]): boolean {
    for (let i = 0; i < ids.length; i++) if (this.has(ids[i]!)) return false
    this.add(ids)
    return true
  }
}
