// Names as lists of short hashes. A page whose list lacks the hash of a name does not have the name, and need not be read. A list is its
// hashes in ascending order, four bytes each, in base64.

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

/** The list of the hashes of names. */
export function packNames(names: readonly string[]): string {
  const hashes = hashesOf(names)
  const view = new DataView(new ArrayBuffer(4 * hashes.length))
  for (let i = 0; i < hashes.length; i++) view.setUint32(4 * i, hashes[i]!)
  const bytes = Array.from(new Uint8Array(view.buffer), (byte) => String.fromCharCode(byte))
  return btoa(bytes.join('')).replace(/=+$/, '')
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

/** True if a text has the length of a list. Its content is checked when it is unpacked. */
export function isPacked(text: string): boolean {
  return text.length === lengthOf(countPacked(text))
}

/** The hashes of a list. */
export function unpackNames(text: string): Uint32Array {
  const wrong = /[^A-Za-z0-9+/]/.exec(text)?.[0]
  if (wrong !== undefined) throw fault('', `"${wrong}" is no part of a list of hashes.`)
  const hashes = new Uint32Array(countPacked(text))
  const bytes = atob(text)
  for (let i = 0; i < bytes.length; i++) hashes[i >> 2] = (hashes[i >> 2]! << 8) | bytes.charCodeAt(i)
  const isRising = hashes.every((hash, i) => i === 0 || hash > hashes[i - 1]!)
  if (isRising && btoa(bytes).startsWith(text)) return hashes
  throw fault('', 'The hashes of a list are in ascending order, with nothing behind them.')
}

/** The number of hashes in a list. */
export function countPacked({ length }: string): number {
  return Math.floor((length * 3) / 16)
}

function lengthOf(count: number): number {
  return Math.ceil((count * 16) / 3)
}
