// Names as lists of short hashes, so that a page can be passed over without reading it: a hash that is not in the list
// stands for a name that is not in the page. A list is its hashes in ascending order, four bytes each, in base64.

import { fault } from './raw.js'

/** A hash of 32 bits: FNV-1a over the UTF-16 units, mixed once more, since most names differ in their last digits. */
export function hashOfName(name: string): number {
  let hash = 0x811c_9dc5
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x0100_0193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const NO_DIGIT = 0x40
const VALUES = new Uint8Array(128).fill(NO_DIGIT)
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i

/** The list of the hashes of names. */
export function packNames(names: readonly string[]): string {
  if (names.length === 0) return ''
  const hashes = hashesOf(names)
  const units = new Uint8Array(lengthOf(hashes.length))
  let [held, bits, at] = [0, 0, 0]
  for (let i = 0; i < hashes.length; i++) {
    for (let shift = 24; shift >= 0; shift -= 8) {
      held = (held << 8) | ((hashes[i]! >>> shift) & 0xff)
      for (bits += 8; bits >= 6;) {
        bits -= 6
        units[at++] = DIGITS.charCodeAt((held >>> bits) & 0x3f)
      }
      held &= (1 << bits) - 1
    }
  }
  if (bits > 0) units[at] = DIGITS.charCodeAt((held << (6 - bits)) & 0x3f)
  return new TextDecoder('latin1').decode(units)
}

/** In ascending order, each once. */
function hashesOf(names: readonly string[]): Uint32Array {
  const hashes = new Uint32Array(names.length)
  for (let i = 0; i < names.length; i++) hashes[i] = hashOfName(names[i]!)
  hashes.sort()
  let count = 1
  for (let i = 1; i < hashes.length; i++) if (hashes[i] !== hashes[i - 1]) hashes[count++] = hashes[i]!
  return hashes.subarray(0, count)
}

/** Whether a text has the length of a list; the rest shows when it is unpacked, which few lists ever are. */
export function isPacked(text: string): boolean {
  return text.length === lengthOf(countPacked(text))
}

/** The hashes of a list. */
export function unpackNames(text: string): Uint32Array {
  const hashes = new Uint32Array(countPacked(text))
  let [held, bits, byte] = [0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? NO_DIGIT
    if (value === NO_DIGIT) throw fault('', `"${text.slice(i, i + 1)}" is no part of a list of hashes.`)
    held = (held << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    const at = byte++ >> 2
    hashes[at] = (hashes[at]! << 8) | (held >>> bits)
    held &= (1 << bits) - 1
  }
  const isRising = hashes.every((hash, i) => i === 0 || hash > hashes[i - 1]!)
  if (isRising && held === 0) return hashes
  throw fault('', 'The hashes of a list stand in ascending order, with nothing behind them.')
}

/** How many hashes a list has. */
export function countPacked({ length }: string): number {
  return Math.floor((length * 3) / 16)
}

function lengthOf(count: number): number {
  return Math.ceil((count * 16) / 3)
}
