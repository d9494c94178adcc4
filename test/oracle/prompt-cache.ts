// A naive prompt cache: every prefix is a text, every entry a row in a list, and every request is looked at from its beginning. It shares no code
// with src/cost.

export type NaiveBlock = Readonly<{ text: string; tokens: number; kind: string; isSystem: boolean }>

export type NaiveRules = Readonly<{
  ttl: number
  least: number
  lookBack?: number
  marks?: number
  step?: number
}>

/** One message is a list of blocks; `around` tokens come with its last one. */
export type NaiveMessage = Readonly<{ blocks: readonly NaiveBlock[]; around: number }>

type Row = { prefix: string; until: number }
type Place = Readonly<{ prefix: string; tokens: number; position: number; endsMessage: boolean; isSystem: boolean }>

export class NaiveCache {
  readonly #rules: NaiveRules
  #rows: Row[] = []

  constructor(rules: NaiveRules) {
    this.#rules = rules
  }

  request(messages: readonly NaiveMessage[], at: number): Readonly<{ read: number; write: number; plain: number }> {
    const places = placesOf(messages)
    const total = places.at(-1)?.tokens ?? 0
    const { lookBack, step = 1, least, ttl } = this.#rules
    const live = (place: Place): boolean =>
      this.#rows.some(({ prefix, until }) => prefix === place.prefix && until >= at)
    if (lookBack === undefined) {
      const held = places.filter((place) => place.endsMessage && live(place)).map(({ tokens }) => tokens)
      const whole = Math.floor(Math.max(0, ...held) / step) * step
      for (const place of places.filter(({ endsMessage }) => endsMessage)) this.#write(place, at + ttl * 1000)
      const read = whole >= least ? whole : 0
      return { read, write: total - read, plain: 0 }
    }
    const marks = this.#marksOf(places)
    const seen = marks.flatMap((mark) =>
      places.filter(({ tokens, position }) => tokens <= mark.tokens && position > mark.position - lookBack),
    )
    const hits = seen.filter(live).toSorted((a, b) => b.tokens - a.tokens)
    const written = marks.filter(({ tokens }) => tokens >= least)
    for (const place of [...hits.slice(0, 1), ...written]) this.#write(place, at + ttl * 1000)
    const read = hits[0]?.tokens ?? 0
    const end = Math.max(read, ...written.map(({ tokens }) => tokens))
    return { read, write: end - read, plain: total - end }
  }

  /** Behind the system texts, behind everything, and at the last multiples of 18 positions that there is room for. */
  #marksOf(places: readonly Place[]): readonly Place[] {
    const last = places.at(-1)
    if (last === undefined) return []
    const { marks = 1 } = this.#rules
    const leading = places.findIndex(({ isSystem }) => !isSystem)
    const system = leading > 0 ? places[leading - 1] : undefined
    const between: Place[] = []
    for (let at = last.position - 1; at > 0; at--) {
      if (at % 18 !== 0 || between.length >= marks - 2) continue
      const place = places.findLast(({ position }) => position === at)!
      if (place.tokens > (system?.tokens ?? 0)) between.push(place)
    }
    return [last, ...between, ...(marks > 1 && system !== undefined && system !== last ? [system] : [])]
  }

  #write({ prefix }: Place, until: number): void {
    const row = this.#rows.find((each) => each.prefix === prefix)
    if (row === undefined) this.#rows.push({ prefix, until })
    else row.until = until
  }
}

function placesOf(messages: readonly NaiveMessage[]): readonly Place[] {
  const places: Place[] = []
  let [prefix, tokens, position, before] = ['', 0, 0, '']
  for (const { blocks, around } of messages) {
    for (const [i, block] of blocks.entries()) {
      const endsMessage = i === blocks.length - 1
      prefix += `${block.text}${endsMessage ? '|' : ','}`
      tokens += block.tokens + (endsMessage ? around : 0)
      const isRun = block.kind === before && (block.kind === 'call' || block.kind === 'result')
      if (!isRun) position += 1
      before = block.kind
      places.push({ prefix, tokens, position, endsMessage, isSystem: block.isSystem })
    }
  }
  return places
}
