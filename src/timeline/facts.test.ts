import { describe, expect, test } from 'vitest'

import { Fact, MAX_FACTS, type Keeper } from './facts.js'

type Chunk = Keeper & { readonly size: number }

function chunkOf(size: number): Chunk {
  return { size, facts: undefined }
}

describe('a fact', () => {
  test('is worked out once and kept with its chunk', () => {
    const asked: number[] = []
    const doubled = new Fact<Chunk, number>(({ size }) => {
      asked.push(size)
      return 2 * size
    })
    const [two, three] = [chunkOf(2), chunkOf(3)]
    expect([doubled.of(two), doubled.of(two), doubled.of(three)]).toEqual([4, 4, 6])
    expect(asked).toEqual([2, 3])
  })

  test('asked for once is not kept, but used where it is', () => {
    let works = 0
    const fact = new Fact<Chunk, number>(({ size }) => size + works++)
    const chunk = chunkOf(10)
    expect([fact.once(chunk), fact.once(chunk), fact.known(chunk)]).toEqual([10, 11, undefined])
    expect([fact.of(chunk), fact.once(chunk), works]).toEqual([12, 12, 3])
  })

  test('can be put there, put anew and dropped, and leaves the others alone', () => {
    const [a, b] = [new Fact<Chunk, string>(() => 'a'), new Fact<Chunk, string>(() => 'b')]
    const chunk = chunkOf(1)
    a.keep(chunk, 'given')
    expect([a.of(chunk), b.of(chunk)]).toEqual(['given', 'b'])
    a.keep(chunk, 'again')
    expect([a.of(chunk), b.of(chunk)]).toEqual(['again', 'b'])
    a.drop(chunk)
    expect([a.known(chunk), b.known(chunk)]).toEqual([undefined, 'b'])
    b.drop(chunk)
    b.drop(chunk)
    expect(chunk.facts).toBeUndefined()
  })

  test(`shares a chunk with ${MAX_FACTS - 1} others at the most: the oldest goes`, () => {
    const facts = Array.from({ length: 3 * MAX_FACTS }, (_, i) => new Fact<Chunk, string>(() => `fact ${i}`))
    const chunk = chunkOf(1)
    for (const fact of facts) fact.of(chunk)
    const known = facts.map((fact) => fact.known(chunk) !== undefined)
    expect(known.filter(Boolean).length).toBe(MAX_FACTS)
    expect(known.slice(-MAX_FACTS).every(Boolean)).toBe(true)
    expect(facts[0]!.of(chunk)).toBe('fact 0')
  })
})
