// The body of a request, read with limits: so many bytes, so much time, so deep, and JSON. Nothing recurses into it before that is known.

import { refused } from './status.js'

export type BodyLimits = Readonly<{
  bytes: number
  /** For the whole body, in milliseconds. */
  time: number
}>

/** Contents may be nested 128 deep; a few levels stand around them. */
const DEPTH = 160
/** No number that anybody means has more digits. */
const DIGITS = 4000

export async function readJson(request: Request, { bytes, time }: BodyLimits): Promise<unknown> {
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
  if (Number(request.headers.get('content-length') ?? 0) > bytes) throw tooLarge(bytes)
  const text = await readText(request, bytes, time)
  checkShape(text)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes what it read.
    throw refused(400, 'E_CONTENT_INVALID', 'The body is no JSON.', { name: 'body' })
  }
}

async function readText(request: Request, most: number, time: number): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(refused(408, 'E_CONTENT_INVALID', 'The body did not come in time.', { name: 'body' }, CLOSE))
    }, time)
  })
  let bytes: Uint8Array
  try {
    // Where its length is told, no more than that comes, and it can be taken as a whole. `request.body` is not looked at then: behind a
    // socket that would make a stream, which costs more than most commands.
    const isTold = request.headers.has('content-length')
    bytes = isTold
      ? new Uint8Array(await Promise.race([request.arrayBuffer(), late]))
      : await pieces(request, most, late)
  } finally {
    clearTimeout(timer)
  }
  // Who sends it without a socket may tell another length.
  if (bytes.length > most) throw tooLarge(most)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused(400, 'E_CONTENT_INVALID', 'The body is no UTF-8.', { name: 'body' })
  }
}

/** A body whose length nobody knows, until it is too long. */
async function pieces(request: Request, most: number, late: Promise<never>): Promise<Uint8Array> {
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
      chunks.push(value)
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined)
    throw error
  }
}

/** What is left of a body that is refused is not read. */
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

/** Counts how deep it is and how long its numbers are, in one pass. */
function checkShape(text: string): void {
  let [depth, digits] = [0, 0]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= Unit.Zero && unit <= Unit.Nine) {
      if (++digits > DIGITS) throw refused(400, 'E_CONTENT_INVALID', 'A number in the body has too many digits.')
      continue
    }
    digits = 0
    if (unit === Unit.Quote) i = endOfText(text, i)
    else if (unit === Unit.OpenList || unit === Unit.Open) {
      if (++depth > DEPTH) {
        throw refused(400, 'E_CONTENT_INVALID', `The body is nested deeper than ${DEPTH} levels.`, { limit: DEPTH })
      }
    } else if (unit === Unit.CloseList || unit === Unit.Close) depth--
  }
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
