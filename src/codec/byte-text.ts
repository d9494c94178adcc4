// Canonical JSON written straight as bytes, which are all ASCII: for what every commit writes. Text that is put together of a hundred
// pieces is a hundred small objects, made flat at the end and then turned into bytes.

import { isPlain, quoteJson } from './canonical-json.js'

const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const ZERO = 0x30

/** Up to here going through a text unit by unit is faster than a call that copies it. */
const SHORT = 64
/** More than this is not kept for the next one. */
const LARGEST = 1 << 20

export class ByteText {
  #bytes = new Uint8Array(4096)
  #length = 0

  /** What is written by `write`, as bytes of its own. One memory serves one writer after another. */
  static bytesOf(write: (out: ByteText) => void): Uint8Array {
    const out = spare ?? new ByteText()
    // Whoever writes something else meanwhile takes another one.
    spare = undefined
    write(out)
    const bytes = out.#bytes.slice(0, out.#length)
    out.#length = 0
    if (out.#bytes.length <= LARGEST) spare = out
    return bytes
  }

  /** The same as text. */
  static textOf(write: (out: ByteText) => void): string {
    return new TextDecoder('latin1').decode(ByteText.bytesOf(write))
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  /** Text that is ASCII, as it is. */
  ascii(text: string): void {
    const { length } = text
    this.#reserve(length)
    if (length > SHORT) encoder().encodeInto(text, this.#bytes.subarray(this.#length))
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = text.charCodeAt(i)
    this.#length += length
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Text in quotes, with the escapes of quoteJson. */
  quoted(text: string): void {
    const { length } = text
    if (length > SHORT) return this.#quotedLong(text)
    this.#reserve(length + 2)
    const bytes = this.#bytes
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
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.trunc(rest / 10)) digits++
    this.#reserve(digits)
    let rest = value | 0
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      const left = (rest / 10) | 0
      this.#bytes[at] = ZERO + rest - left * 10
      rest = left
    }
    this.#length += digits
  }

  /** A comma, and the name of the next field of an object; no comma where it is the first. */
  name(name: string): void {
    if (this.#bytes[this.#length - 1] !== OPEN_OBJECT) this.byte(COMMA)
    this.quoted(name)
    this.ascii(':')
  }

  /** A field that is a list; none where the list is empty. */
  list<T>(name: string, values: readonly T[], write: (value: T) => void): void {
    if (values.length === 0) return
    this.name(name)
    this.items(values, write)
  }

  /** A list by itself. */
  items<T>(values: readonly T[], write: (value: T) => void): void {
    this.ascii('[')
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.byte(COMMA)
      write(values[i]!)
    }
    this.ascii(']')
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
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
