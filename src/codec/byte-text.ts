// Canonical JSON written straight as bytes, which are all ASCII: for what every commit writes. Text that is put together of a hundred
// pieces is a hundred small objects, made flat at the end and then turned into bytes.

import { isPlain, quoteJson } from './canonical-json.js'

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const ZERO = 0x30

/** Up to here going through a text unit by unit is faster than a call that copies it. */
const SHORT = 64
/** More than this is not kept for the next one. */
const LARGEST = 1 << 20

export class ByteText {
  #bytes = new Uint8Array(4096)
  #length = 0

  /**
   * Gives what is written by `write` to `read`, in memory that is used again as soon as that has ended: one memory serves one writer
   * after another.
   */
  static use<T>(write: (out: ByteText) => void, read: (bytes: Uint8Array) => T): T {
    const out = spare ?? new ByteText()
    // Whoever writes something else meanwhile takes another one.
    spare = undefined
    write(out)
    const result = read(out.#bytes.subarray(0, out.#length))
    out.#length = 0
    if (out.#bytes.length <= LARGEST) spare = out
    return result
  }

  /** The same as bytes of their own. */
  static bytesOf(write: (out: ByteText) => void): Uint8Array {
    return ByteText.use(write, (bytes) => bytes.slice())
  }

  /** The same as text. */
  static textOf(write: (out: ByteText) => void): string {
    return ByteText.use(write, (bytes) => new TextDecoder('latin1').decode(bytes))
  }

  byte(byte: number): void {
    this.#room(1)[this.#length++] = byte
  }

  /** Text that is ASCII, as it is. */
  ascii(text: string): void {
    const { length } = text
    const bytes = this.#room(length)
    const at = this.#length
    if (length > SHORT) encoder().encodeInto(text, bytes.subarray(at))
    else for (let i = 0; i < length; i++) bytes[at + i] = text.charCodeAt(i)
    this.#length = at + length
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length).set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Text in quotes, with the escapes of quoteJson. */
  quoted(text: string): void {
    const { length } = text
    if (length > SHORT) return this.#quotedLong(text)
    const bytes = this.#room(length + 2)
    let at = this.#length
    bytes[at++] = QUOTE
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return this.ascii(quoteJson(text))
      bytes[at++] = unit
    }
    bytes[at++] = QUOTE
    this.#length = at
  }

  #quotedLong(text: string): void {
    if (!isPlain(text)) return this.ascii(quoteJson(text))
    this.byte(QUOTE)
    this.ascii(text)
    this.byte(QUOTE)
  }

  /** A whole number. */
  whole(value: number): void {
    // Most are small: cycles, offsets, priorities.
    if (!(value >= 0 && value < 1e9)) return this.ascii(`${value}`)
    const bytes = this.#room(9)
    let end = this.#length + 1
    for (let least = 10; least <= value; least *= 10) end++
    this.#length = end
    let rest = value | 0
    do {
      const left = (rest / 10) | 0
      bytes[--end] = ZERO + rest - left * 10
      rest = left
    } while (rest > 0)
  }

  /** The same behind a comma. */
  next(value: number): void {
    this.byte(COMMA)
    this.whole(value)
  }

  comma(): void {
    this.byte(COMMA)
  }

  /** A comma, and the name of the next field of an object; no comma where it is the first. */
  name(name: string): void {
    if (this.#bytes[this.#length - 1] !== OPEN_OBJECT) this.byte(COMMA)
    this.quoted(name)
    this.byte(COLON)
  }

  /** A field that is a list; none where the list is empty. */
  list<T>(name: string, values: readonly T[], write: (value: T) => void): void {
    if (values.length === 0) return
    this.name(name)
    this.items(values, write)
  }

  /** A list by itself. */
  items<T>(values: readonly T[], write: (value: T) => void): void {
    this.byte(OPEN_LIST)
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.comma()
      write(values[i]!)
    }
    this.byte(CLOSE_LIST)
  }

  /** The memory, with room for so much more. */
  #room(more: number): Uint8Array {
    const needed = this.#length + more
    if (needed > this.#bytes.length) this.#grow(needed)
    return this.#bytes
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

let spare: ByteText | undefined

type Encoder = InstanceType<typeof TextEncoder>

let known: Encoder | undefined

function encoder(): Encoder {
  return (known ??= new TextEncoder())
}
