// Records as stores write them: bytes, and what nodes say apart from them. Salts are left out, so that two can be compared.

import { decodeCheckpoint, decodeCommitRecord, encodeCheckpoint, encodeCommitRecord } from '../../src/codec/index.js'
import type { Checkpoint, CommitRecord, NodeRecord } from '../../src/core/index.js'
import type { Timeline } from '../../src/timeline/index.js'
import { textOf } from './context.js'
import { expectSame } from './same.js'

export type WrittenRow = Readonly<{ changes: string; bodies: readonly string[] }>

type Before = (id: string) => NodeRecord | undefined
type Writer = Readonly<{ add: (text: string) => number; before: Before }>
type Reader = Readonly<{ count: number; text: (number: number) => string | undefined; before: Before }>

const NOTHING: Before = () => undefined

export function writeCommit(record: CommitRecord, timeline: Timeline): WrittenRow {
  return written(
    (id) => timeline.find(id, record.cycle - 1),
    (bodies) => encodeCommitRecord(record, bodies),
  )
}

/** Reads a commit; what was read is written the same again. */
export function readCommit(row: WrittenRow, before: Before): CommitRecord {
  const record = decodeCommitRecord(bytesOf(row), readerOf(row, before))
  const again = written(before, (bodies) => encodeCommitRecord(record, bodies))
  expectSame(again, row)
  return record
}

export function writeCheckpoint(checkpoint: Checkpoint): WrittenRow {
  return written(NOTHING, (bodies) => encodeCheckpoint(checkpoint, bodies))
}

export function readCheckpoint(row: WrittenRow): Checkpoint {
  return decodeCheckpoint(bytesOf(row), readerOf(row, NOTHING))
}

function written(before: Before, write: (bodies: Writer) => Uint8Array): WrittenRow {
  const bodies: string[] = []
  const changes = textOf(write({ add: (text) => bodies.push(text), before }))
  return { changes, bodies }
}

function bytesOf({ changes }: WrittenRow): Uint8Array {
  return new TextEncoder().encode(changes)
}

function readerOf({ bodies }: WrittenRow, before: Before): Reader {
  return { count: bodies.length, text: (number) => bodies[number - 1], before }
}
