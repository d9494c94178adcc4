// Any context renders for every provider, whichever it came from: every recorded conversation for all five, valid there, with its calls and
// their arguments, its results and its pictures.

import { describe, expect, test } from 'vitest'

import { fromOpenAIResponses } from '../src/adapters/openai/index.js'
import { toAnthropic } from '../src/adapters/anthropic/index.js'
import { toGemini } from '../src/adapters/gemini/index.js'
import { carriedBy } from './support/providers/carried.js'
import { FORMATS, recordedConversations } from './support/providers/formats.js'
import { hasRecordings, NO_RECORDINGS } from './support/providers/recorded.js'

describe.skipIf(!hasRecordings())(`every recorded conversation (needs: ${NO_RECORDINGS})`, () => {
  test.each(FORMATS)('is valid for $name, with all its calls, results and pictures', ({ to, faults }) => {
    const calls = recordedConversations().map((each) => {
      const ctx = each.open()
      expect({ [each.name]: faults(ctx, each.thoughts) }).toEqual({ [each.name]: [] })
      const own = FORMATS.find((format) => format.name === each.format)!
      const [before, after] = [carriedBy({ ...own.to(ctx) }), carriedBy({ ...to(ctx) })]
      expect({ [each.name]: after }).toEqual({ [each.name]: before })
      return before.calls.length
    })
    expect(calls.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(900)
  })
})

test.each([
  ['https://example.com/a.pdf?page=2', 'document', 'application/pdf'],
  ['https://example.com/download', 'document', 'application/octet-stream'],
  ['https://example.com/a.JPG', 'image', 'image/jpeg'],
])('a file by its address, %s, is a %s', (url, type, mimeType) => {
  const file = { type: 'input_file', file_url: url }
  const ctx = fromOpenAIResponses({ input: [{ role: 'user', content: [file] }] })
  expect(toAnthropic(ctx).messages[0]?.content).toEqual([{ type, source: { type: 'url', url } }])
  expect(toGemini(ctx).contents[0]?.parts).toEqual([{ fileData: { mimeType, fileUri: url } }])
})
