// Packs: rows of consecutive cycles compressed together, since they repeat each other. Row hashes are stored
// uncompressed at the front.
//
// A pack is [format, count, (cycle, hash, length of changes, length of bodies) each, the rest compressed].

import { compressed, decompressed } from './compressed.js'
import { damaged } from './row.js'
import type { Pack, Row } from './rows.js'

const FORMAT = 1
const HEAD = 8
const ENTRY = 4 + 32 + 4 + 4

export function packOf(rows: readonly Row[]): Pack {
  const head = Buffer.alloc(HEAD + rows.length * ENTRY)
  head.writeUInt32BE(FORMAT, 0)
  head.writeUInt32BE(rows.length, 4)
  for (const [i, { cycle, hash, changes, bodies }] of rows.entries()) {
    const at = HEAD + i * ENTRY
    head.writeUInt32BE(cycle, at)
    head.set(hash, at + 4)
    head.writeUInt32BE(changes.length, at + 36)
    head.writeUInt32BE(bodies.length, at + 40)
  }
  // All changes, then all bodies: similar data next to each other compresses better.
  const rest = Buffer.concat([...rows.map(({ changes }) => changes), ...rows.map(({ bodies }) => bodies)])
  const body = Buffer.concat([head, compressed(rest)])
  return { from: rows[0]!.cycle, to: rows.at(-1)!.cycle, body }
}

export function rowsOf({ from, to, body }: Pack): readonly Row[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const count = to - from + 1
  const start = HEAD + count * ENTRY
  if (bytes.length < start || bytes.readUInt32BE(0) !== FORMAT || bytes.readUInt32BE(4) !== count) {
    throw damaged(from, 'its pack has no valid header')
  }
  const entries = Array.from({ length: count }, (_, i) => {
    const at = HEAD + i * ENTRY
    return {
      cycle: bytes.readUInt32BE(at),
      hash: bytes.subarray(at + 4, at + 36),
      changes: bytes.readUInt32BE(at + 36),
      bodies: bytes.readUInt32BE(at + 40),
    }
  })
  const rest = unpacked(
    bytes.subarray(start),
    from,
    entries.reduce((sum, each) => sum + each.changes + each.bodies, 0),
  )
  let changesAt = 0
  let bodiesAt = entries.reduce((sum, { changes }) => sum + changes, 0)
  return entries.map(({ cycle, hash, changes, bodies }, i) => {
    if (cycle !== from + i) throw damaged(from + i, 'the pack that holds it has rows of other cycles')
    const row = {
      cycle,
      hash,
      changes: rest.subarray(changesAt, changesAt + changes),
      bodies: rest.subarray(bodiesAt, bodiesAt + bodies),
    }
    changesAt += changes
    bodiesAt += bodies
    return row
  })
}

function unpacked(bytes: Buffer, cycle: number, length: number): Buffer {
  try {
    const rest = decompressed(bytes, length)
    if (rest.length === length) return rest
  } catch {
    // Reported below as damage.
  }
  throw damaged(cycle, 'the pack that holds it cannot be unpacked')
}
