// A set of loaded ranges of cycle numbers: disjoint and sorted.

export class Stretches {
  #list: readonly Readonly<{ from: number; to: number }>[] = []

  clear(): void {
    this.#list = []
  }

  add(from: number, to: number): void {
    const touching = this.#list.filter((each) => each.from <= to + 1 && each.to >= from - 1)
    const joined = {
      from: Math.min(from, ...touching.map((each) => each.from)),
      to: Math.max(to, ...touching.map((each) => each.to)),
    }
    this.#list = [...this.#list.filter((each) => !touching.includes(each)), joined].sort((a, b) => a.from - b.from)
  }

  /** Drops everything outside a range. */
  clip(from: number, to: number): void {
    this.#list = this.#list
      .filter((each) => each.to >= from && each.from <= to)
      .map((each) => ({ from: Math.max(from, each.from), to: Math.min(to, each.to) }))
  }

  covers(from: number, to: number): boolean {
    return this.#list.some((each) => each.from <= from && each.to >= to)
  }

  /** The part of a range around a centre that is not loaded yet. */
  missing(centre: number, from: number, to: number): Readonly<{ from: number; to: number }> {
    const here = this.#list.find((each) => each.from <= centre && each.to >= centre)
    if (here !== undefined && here.from <= from) return { from: here.to + 1, to }
    if (here !== undefined && here.to >= to) return { from, to: here.from - 1 }
    return { from, to }
  }
}
