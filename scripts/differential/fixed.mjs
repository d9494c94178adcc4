// Chance and time of this process, fixed: both builds draw the same salts and names and read the same time, so that stored rows can be
// compared byte by byte. Load this module before a build.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Where clocks of programs start, in nanoseconds. */
export const START = 1_700_000_000_000_000_000n

const NOW = 1_750_000_000_000

/** Every salt; its bytes differ, so that their order shows. */
const SALT = Uint8Array.from({ length: 16 }, (_, at) => 0x50 + at)

/** Names that a build has drawn since `beginAgain`; salts are all the same, since builds draw them ahead in pages of their own. */
let drawn = 0

export function beginAgain() {
  drawn = 0
}

/** A program runs on both sides in turn: each goes on counting where it was. */
export function drawnSoFar() {
  return drawn
}

export function drawFrom(count) {
  drawn = count
}

const RealDate = globalThis.Date

class FixedDate extends RealDate {
  /** @param {any[]} given */
  constructor(...given) {
    // @ts-expect-error Date takes one argument or several.
    super(...(given.length === 0 ? [NOW] : given))
  }

  static now() {
    return NOW
  }
}

/** Replaces the sources of chance and time for as long as this process runs. */
export function fixChanceAndTime() {
  const fill = (bytes, offset = 0, size = bytes.length - offset) => {
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).fill(SALT, offset, offset + size)
    return bytes
  }
  const replaced = {
    randomFillSync: fill,
    randomBytes: (size) => {
      const bytes = Buffer.alloc(size, 0x5a)
      bytes.writeUInt32BE(++drawn, 0)
      return bytes
    },
    randomUUID: () => `00000000-0000-4000-8000-${String(++drawn).padStart(12, '0')}`,
  }
  Object.assign(crypto, replaced)
  syncBuiltinESMExports()
  globalThis.Date = /** @type {DateConstructor} */ (FixedDate)
}
