// Checks the write-ahead log (`-wal`) that a process left behind before SQLite reads it. SQLite reads it up to the
// first frame with a wrong checksum and silently drops the rest. That is right for an unfinished transaction, but not
// for acknowledged commits.
//
// Two things prove that an acknowledged commit would be dropped. The index of the log (`-shm`) counts the frames of all
// commits and is written after the log is synced. And if a frame is chained to a commit mark, the commit was complete
// before that frame was written: a failed commit is overwritten from its start. Neither holds for logs written with
// `synchronous=NORMAL` after a loss of power.

import fs from 'node:fs'
import os from 'node:os'

/** The first bad frame of a log, counted from 1; 0 for the header. */
export type LogDamage = Readonly<{ frame: number }>

const HEADER = 32
const FRAME_HEADER = 24
const SECTOR = 512
/** The lowest bit means that checksums use big-endian words. */
const MAGIC = 0x377f0682
/** Scans of the log: a frame that another process is writing is bad in one scan at most. */
const SCANS = 3

/** The log damage that would lose acknowledged commits; undefined if there is none. Throws system errors. */
export function lostCommits(file: string): LogDamage | undefined {
  let before: LogScan | undefined
  for (let scans = 0; scans < SCANS; scans++) {
    const found = scanLog(file)
    if (found === undefined || (before?.frame === found.frame && before.header.equals(found.header))) return found
    before = found
  }
  return undefined
}

type LogScan = LogDamage & Readonly<{ header: Buffer }>

function scanLog(file: string): LogScan | undefined {
  // Read the index first: the log always has at least the frames that it counts.
  const index = bytesOf(`${file}-shm`, 0, 48)
  const log = openLog(`${file}-wal`)
  if (log === undefined) return undefined
  try {
    const header = log.read(0, HEADER)
    const size = header.length < HEADER ? 0 : header.readUInt32BE(8)
    const isPageSize = size >= 512 && size <= 65_536 && (size & (size - 1)) === 0
    const isSound = isPageSize && (header.readUInt32BE(0) & ~1) === MAGIC && isHeader(header)
    const pageSize = isSound ? size : pageSizeOf(file)
    // Without a valid header, take the salts of the second frame: the first may be in the same damaged sector.
    const salts = isSound ? header.subarray(16, 24) : log.read(HEADER + FRAME_HEADER + pageSize + 8, 8)
    const scan = new FrameScan(log, pageSize, salts, isSound ? header : undefined)
    const { bad, committed, isFollowed } = scan.run()
    const isMissed = committedIn(index, salts) > committed
    return isMissed || isFollowed ? { frame: isSound ? bad : 0, header } : undefined
  } finally {
    log.close()
  }
}

/** Scans frames as SQLite does up to the first bad one, and beyond it, where each frame must fit its predecessor. */
class FrameScan {
  readonly #log: Log
  readonly #frame: number
  readonly #salts: Buffer
  readonly #header: Buffer | undefined

  constructor(log: Log, pageSize: number, salts: Buffer, header: Buffer | undefined) {
    this.#log = log
    this.#frame = FRAME_HEADER + pageSize
    this.#salts = salts
    this.#header = header
  }

  run(): Readonly<{ bad: number; committed: number; isFollowed: boolean }> {
    let bad = this.#header === undefined ? 0 : Infinity
    let [committed, wasCommit] = [0, false]
    let sum = this.#header?.subarray(24, 32)
    const isBig = this.#header === undefined ? [false, true] : [(this.#header[3]! & 1) === 1]
    for (let n = 1; ; n++) {
      const at = HEADER + (n - 1) * this.#frame
      const frame = this.#log.read(at, this.#frame)
      if (frame.length < this.#frame) return { bad: Math.min(bad, n), committed, isFollowed: false }
      const isOurs = frame.subarray(8, 16).equals(this.#salts)
      const isChained = isOurs && sum !== undefined && isBig.some((each) => isFrame(frame, sum!, each))
      if (!isChained) bad = Math.min(bad, n)
      if (n > bad && wasCommit && isChained) return { bad, committed, isFollowed: true }
      const isCommit = isOurs && frame.readUInt32BE(4) !== 0
      if (n < bad && isCommit) committed = n
      // The commit mark of a bad frame counts if it is in the same sector as the checksum that the next frame continues
      // from.
      wasCommit = isCommit && (isChained || (n === bad && at % SECTOR <= SECTOR - FRAME_HEADER))
      sum = Buffer.from(frame.subarray(16, 24))
    }
  }
}

function isHeader(header: Buffer): boolean {
  return sumOf(header.subarray(0, 24), 0, 0, (header[3]! & 1) === 1).equals(header.subarray(24, 32))
}

function isFrame(frame: Buffer, sum: Buffer, isBig: boolean): boolean {
  const head = sumOf(frame.subarray(0, 8), sum.readInt32BE(0), sum.readInt32BE(4), isBig)
  const whole = sumOf(frame.subarray(FRAME_HEADER), head.readInt32BE(0), head.readInt32BE(4), isBig)
  return whole.equals(frame.subarray(16, 24))
}

const IS_BIG = os.endianness() === 'BE'

/** SQLite's checksum, continued from a previous one. */
function sumOf(bytes: Buffer, first: number, second: number, isBig: boolean): Buffer {
  // Swap words of the other byte order in a copy. Offsets are multiples of 8.
  const { buffer, byteOffset, length } = isBig === IS_BIG ? bytes : Buffer.from(new Uint8Array(bytes).buffer).swap32()
  const words = new Int32Array(buffer, byteOffset, length / 4)
  let a = first
  let b = second
  for (let i = 0; i < words.length; i += 2) {
    a = (a + words[i]! + b) | 0
    b = (b + words[i + 1]! + a) | 0
  }
  const sum = Buffer.alloc(8)
  sum.writeInt32BE(a, 0)
  sum.writeInt32BE(b, 4)
  return sum
}

/**
 * Committed frames according to the index of the log, which has the byte order of its machine; 0 if it is damaged or
 * belongs to another log.
 */
function committedIn(index: Buffer, salts: Buffer): number {
  if (index.length < 48 || !index.subarray(32, 40).equals(salts)) return 0
  const isBig = index.readUInt32LE(0) !== 3_007_000
  const sum = sumOf(index.subarray(0, 40), 0, 0, isBig)
  if (!isBig) sum.swap32()
  if (!sum.equals(index.subarray(40, 48))) return 0
  return isBig ? index.readUInt32BE(16) : index.readUInt32LE(16)
}

/** The page size of a database, in its header. */
function pageSizeOf(file: string): number {
  const header = bytesOf(file, 0, 18)
  const size = header.length < 18 ? 0 : header.readUInt16BE(16)
  return size === 1 ? 65_536 : size === 0 ? 4096 : size
}

type Log = Readonly<{ read: (at: number, length: number) => Buffer; close: () => void }>

/** Undefined if the log is missing or empty. A read buffer is valid until the next read. */
function openLog(file: string): Log | undefined {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= HEADER) return undefined
  const descriptor = fs.openSync(file, 'r')
  const pieces = new Map<number, Buffer>()
  const read = (at: number, length: number): Buffer => {
    let piece = pieces.get(length)
    if (piece === undefined) pieces.set(length, (piece = Buffer.alloc(length)))
    return piece.subarray(0, fs.readSync(descriptor, piece, 0, length, at))
  }
  return { read, close: () => fs.closeSync(descriptor) }
}

function bytesOf(file: string, at: number, length: number): Buffer {
  const log = openLog(file)
  try {
    return log?.read(at, length) ?? Buffer.alloc(0)
  } finally {
    log?.close()
  }
}
