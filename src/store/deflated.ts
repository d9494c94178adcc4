// Bytes in less room: at once, or aside on another thread, where it does not keep commits waiting.

import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'

/** The lowest level: six takes three times as long, and a file is a tenth smaller. Large chunks: another thread is asked for each of them. */
const OPTIONS = { level: 1, chunkSize: 64 * 1024 }

const deflateAside = promisify<Uint8Array, typeof OPTIONS, Buffer>(deflateRaw)

export function deflated(bytes: Uint8Array): Uint8Array {
  return deflateRawSync(bytes, OPTIONS)
}

export async function deflatedAside(bytes: Uint8Array): Promise<Uint8Array> {
  return deflateAside(bytes, OPTIONS)
}
