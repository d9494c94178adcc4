// The body of a request: JSON, with limits on bytes, time and depth. Nothing recurses into the body before its depth is known.

import type { BodyRoom } from './body-budget.js'
import { refused, Refusal } from './status.js'

export type BodyLimits = Readonly<{
  bytes: number
  /** For the whole body, in milliseconds. */
  time: number
  room: BodyRoom
}>

/** Contents may be nested 128 deep; a few levels are around them. */
const DEPTH = 160
/** Longer numbers are an attack: they take long to parse. */
const DIGITS = 4000

export async function readJson(request: Request, { bytes, time, room }: BodyLimits): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw refused(415, 'E_CONTENT_INVALID', 'The body is JSON, with the content type application/json.', {
      name: 'content-type',
    })
  }
  const coding = request.headers.get('content-encoding')
  if (coding !== null && coding !== 'identity') {
    throw refused(415, 'E_CONTENT_INVALID', 'The body must not be compressed.', { name: 'content-encoding' })
  }
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > bytes) throw tooLarge(bytes)
  room.take({ bytes: length })
  const read = await readBytes(request, bytes, time, room)
  const text = decodeUtf8(read)
  room.take({ bytes: read.length, ...checkShape(text) })
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body.
    throw refused(400, 'E_CONTENT_INVALID', 'The body is no JSON.', { name: 'body' })
  }
}

async function readBytes(request: Request, most: number, time: number, room: BodyRoom): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(refused(408, 'E_CONTENT_INVALID', 'The body did not come in time.', { name: 'body' }, CLOSE))
    }, time)
  })
  try {
    return await pieces(request, most, late, room)
  } catch (error) {
    if (error instanceof Refusal) throw error
    // The client has gone, or has broken the framing.
    throw refused(400, 'E_CONTENT_INVALID', 'The body ended too early.', { name: 'body' }, CLOSE)
  } finally {
    clearTimeout(timer)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused(400, 'E_CONTENT_INVALID', 'The body is no UTF-8.', { name: 'body' })
  }
}

/** Reads a body up to the limit, whatever its content-length says. */
async function pieces(request: Request, most: number, late: Promise<never>, room: BodyRoom): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return Buffer.concat(chunks)
      size += value.length
      if (size > most) throw tooLarge(most)
      room.take({ bytes: size })
      chunks.push(value)
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined)
    throw error
  }
}

/** The rest of a refused body is not read. */
const CLOSE: Readonly<Record<string, string>> = { connection: 'close' }

function tooLarge(most: number): Error {
  const message = `The body is larger than ${most} bytes, which is what this server takes.`
  return refused(413, 'E_CONTENT_INVALID', message, { name: 'body', limit: most }, CLOSE)
}

const Unit = {
  Quote: 0x22,
  Backslash: 0x5c,
  OpenList: 0x5b,
  CloseList: 0x5d,
  Open: 0x7b,
  Close: 0x7d,
  Zero: 0x30,
  Nine: 0x39,
} as const

/** Checks the depth and the length of numbers, and counts objects and lists, in one pass. */
function checkShape(text: string): Readonly<{ objects: number; lists: number }> {
  let [depth, digits, objects, lists] = [0, 0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= Unit.Zero && unit <= Unit.Nine) {
      if (++digits > DIGITS) throw refused(400, 'E_CONTENT_INVALID', 'A number in the body has too many digits.')
      continue
    }
    digits = 0
    if (unit === Unit.Quote) i = endOfText(text, i)
    else if (unit === Unit.OpenList || unit === Unit.Open) {
      if (unit === Unit.Open) objects++
      else lists++
      if (++depth > DEPTH) {
        throw refused(400, 'E_CONTENT_INVALID', `The body is nested deeper than ${DEPTH} levels.`, { limit: DEPTH })
      }
    } else if (unit === Unit.CloseList || unit === Unit.Close) depth--
  }
  return { objects, lists }
}

/** The closing quote of a JSON text, or the end. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === Unit.Backslash) slashes++
    if (slashes % 2 === 0) return quote
    at = quote + 1
  }
}
