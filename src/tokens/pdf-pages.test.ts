// The pages of a PDF by its page objects, wherever the decoding is cut.

import { Buffer } from 'node:buffer'

import { describe, expect, test } from 'vitest'

import { createContext } from '../index.js'
import { OVERHEADS } from './index.js'
import { pdfPages, STEP } from './pdf-pages.js'

/** A PDF as far as counting goes: a list of pages, and page objects with this many bytes before each. */
function pdf(pages: number, filler = 0, type = '/Type /Page'): string {
  const objects = Array.from(
    { length: pages },
    (_, i) => `${'x'.repeat(filler)}\n${i + 3} 0 obj\n<< ${type} /Parent 2 0 R >>\nendobj`,
  )
  const list = `2 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj`
  return Buffer.from(`%PDF-1.7\n${list}\n${objects.join('\n')}\n%%EOF`, 'latin1').toString('base64')
}

describe('the pages of a PDF', () => {
  test.each([1, 2, 17, 300])('are counted: %i', (pages) => {
    expect(pdfPages(pdf(pages))).toBe(pages)
    expect(pdfPages(pdf(pages, 0, '/Type/Page'))).toBe(pages)
  })

  test('are counted once wherever the decoding is cut', () => {
    const bytes = (STEP / 4) * 3
    for (let shift = 0; shift < 120; shift += 1) expect(pdfPages(pdf(2, bytes - 170 + shift))).toBe(2)
  })

  test('are counted with line breaks and in the other alphabet', () => {
    const data = pdf(5, 40)
    expect(pdfPages(data.replace(/.{76}/g, '$&\r\n'))).toBe(5)
    expect(pdfPages(data.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).toBe(5)
  })

  test('are not known of other files and where they are compressed', () => {
    expect(pdfPages('')).toBeUndefined()
    expect(pdfPages(Buffer.from('/Type /Page ').toString('base64'))).toBeUndefined()
    expect(pdfPages(pdf(0))).toBeUndefined()
    expect(pdfPages('JVBER!!!')).toBeUndefined()
  })

  test('multiply the tokens of a file; a file without known pages counts as one', () => {
    const tokens = (data: string): number => {
      const ctx = createContext()
      ctx.user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }])
      return ctx.tokens().total
    }
    const page = OVERHEADS.anthropic.file
    expect(tokens(pdf(30)) - tokens(pdf(1))).toBe(29 * page)
    expect(tokens(pdf(0))).toBe(tokens(pdf(1)))
  })
})
