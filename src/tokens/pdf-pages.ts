// The number of pages of a PDF, from its base64: page objects that are written out. Nothing is inflated, so pages in compressed object streams
// are not seen.

import { decodeBase64 } from './base64.js'

/** A page object names its type; `/Pages` is a list of pages. */
const PAGE = /\/Type\s{0,8}\/Page[^A-Za-z]/g

/** Longer than any match. */
const OVERLAP = 32

/** Base64 digits that are decoded at once, a multiple of 4. */
export const STEP = 1 << 18

/** The number of pages; undefined for other files and if no page can be seen. */
export function pdfPages(data: string): number | undefined {
  if (!data.startsWith('JVBER')) return undefined // %PDF
  const digits = data.includes('\n') ? data.replace(/[\r\n]/g, '') : data
  let pages = 0
  let rest = ''
  for (let at = 0; at < digits.length; at += STEP) {
    const text = rest + decodeBase64(digits.slice(at, at + STEP))
    let end = 0
    for (const { index, 0: match } of text.matchAll(PAGE)) {
      pages++
      end = index + match.length
    }
    rest = text.slice(Math.max(end, text.length - OVERLAP))
  }
  return pages === 0 ? undefined : pages
}
