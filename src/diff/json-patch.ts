// The difference of two JSON values as a JSON Patch (RFC 6902) of add, remove and replace.
//
// Each value first gets a number, the same for values with the same canonical JSON (D33), made from the numbers of its
// parts: so every part is looked at once, however deep, and comparing two parts compares two numbers. Then objects are
// compared name by name and arrays by the sequence diff. Within one change of an array the first element that went is
// paired with the first that came, and so on, and what differs inside a pair is described there; the rest is removed or
// added. Operations run from the front of an array to its end, so everything before an index is already new and
// the index is the one in the newer array.

import { compareText, isObject, type JsonObject, type JsonValue } from '../core/index.js'
import { canonicalJson, copyJson, withJsonForm } from '../codec/index.js'
import { diffSequences, type Change, type Search } from './text-diff.js'

export type PatchOperation =
  | Readonly<{ op: 'add' | 'replace'; path: string; value: JsonValue }>
  | Readonly<{ op: 'remove'; path: string }>

/** The characters of a patch without its values: many changes below one long name would spell it out as often. */
const MAX_PATCH_TEXT = 1 << 25

/** An operation without its path and value. */
const OPERATION_TEXT = 40

/** Finds the operations that turn the older value into the newer, applied in order. */
export function diffJson(
  older: JsonValue,
  newer: JsonValue,
  search: Search,
  maxPatchText: number = MAX_PATCH_TEXT,
): readonly PatchOperation[] {
  const patch = new PatchWriter(search, maxPatchText)
  patch.compare('', older, newer)
  if (!patch.isFull) return Object.freeze(patch.operations)
  search.truncated = true
  return replaceAll(newer)
}

/** The patch that needs no comparing. */
export function replaceAll(newer: JsonValue): readonly PatchOperation[] {
  return Object.freeze([Object.freeze(withJsonForm({ op: 'replace' as const, path: '', value: copyJson(newer) }))])
}

class PatchWriter {
  readonly operations: PatchOperation[] = []
  readonly #search: Search
  readonly #maxPatchText: number
  readonly #numbers = new ValueNumbers()
  #patchText = 0

  constructor(search: Search, maxPatchText: number) {
    this.#search = search
    this.#maxPatchText = maxPatchText
  }

  get isFull(): boolean {
    return this.#patchText > this.#maxPatchText
  }

  compare(path: string, older: JsonValue, newer: JsonValue): void {
    if (this.isFull || this.#numbers.of(older) === this.#numbers.of(newer)) return
    if (isArray(older) && isArray(newer)) return this.#compareArrays(path, older, newer)
    if (isObject(older) && isObject(newer)) return this.#compareObjects(path, older, newer)
    this.#write('replace', path, newer)
  }

  #compareObjects(path: string, older: JsonObject, newer: JsonObject): void {
    const names = new Set([...Object.keys(older), ...Object.keys(newer)])
    for (const name of [...names].sort(compareText)) {
      const inner = `${path}/${escapeName(name)}`
      if (!Object.hasOwn(newer, name)) this.#remove(inner)
      else if (!Object.hasOwn(older, name)) this.#write('add', inner, newer[name]!)
      else this.compare(inner, older[name]!, newer[name]!)
    }
  }

  #compareArrays(path: string, older: readonly JsonValue[], newer: readonly JsonValue[]): void {
    const numbers = (items: readonly JsonValue[]): readonly number[] => items.map((item) => this.#numbers.of(item))
    for (const change of diffSequences(numbers(older), numbers(newer), this.#search)) {
      this.#changeElements(path, older, newer, change)
    }
  }

  #changeElements(path: string, older: readonly JsonValue[], newer: readonly JsonValue[], change: Change): void {
    const { olderStart, olderEnd, newerStart, newerEnd } = change
    const pairs = Math.min(olderEnd - olderStart, newerEnd - newerStart)
    for (let i = 0; i < pairs; i++)
      this.compare(`${path}/${newerStart + i}`, older[olderStart + i]!, newer[newerStart + i]!)
    // Removal closes the gap, so the next removed element has the same index.
    for (let i = olderStart + pairs; i < olderEnd; i++) this.#remove(`${path}/${newerStart + pairs}`)
    for (let i = newerStart + pairs; i < newerEnd; i++) this.#write('add', `${path}/${i}`, newer[i]!)
  }

  #write(op: 'add' | 'replace', path: string, value: JsonValue): void {
    this.#patchText += path.length + OPERATION_TEXT
    if (!this.isFull) this.operations.push(Object.freeze(withJsonForm({ op, path, value: copyJson(value) })))
  }

  #remove(path: string): void {
    this.#patchText += path.length + OPERATION_TEXT
    if (!this.isFull) this.operations.push(Object.freeze({ op: 'remove', path }))
  }
}

/** A name as one step of a JSON pointer (RFC 6901). */
function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Numbers for values: equal for the same canonical JSON, and different for any other. */
class ValueNumbers {
  readonly #byText = new Map<string, number>()
  /** Other scalars by their canonical JSON, arrays and objects by the numbers of their parts. */
  readonly #byShape = new Map<string, number>()
  readonly #known = new Map<JsonValue, number>()
  #count = 0

  of(value: JsonValue): number {
    if (typeof value === 'string') return this.#numberIn(this.#byText, value)
    if (typeof value !== 'object' || value === null) return this.#numberIn(this.#byShape, canonicalJson(value))
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const number = this.#numberIn(
      this.#byShape,
      isArray(value) ? this.#shapeOfArray(value) : this.#shapeOfObject(value),
    )
    this.#known.set(value, number)
    return number
  }

  #shapeOfArray(items: readonly JsonValue[]): string {
    return `[${items.map((item) => this.of(item)).join(',')}]`
  }

  #shapeOfObject(object: JsonObject): string {
    const names = Object.keys(object).sort(compareText)
    return `{${names.map((name) => `${this.of(name)}:${this.of(object[name]!)}`).join(',')}}`
  }

  #numberIn(numbers: Map<string, number>, key: string): number {
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, this.#count)
    return this.#count++
  }
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
