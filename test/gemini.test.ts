// Gemini against recorded conversations and the checker of its rules.

import { describe, expect, test } from 'vitest'

import { fromGemini, toGemini } from '../src/adapters/gemini/index.js'
import { importSnapshot, type Context } from '../src/index.js'
import { checkGemini } from './support/providers/gemini.js'
import { hasRecordings, NO_RECORDINGS, recordedGemini } from './support/providers/recorded.js'

const recorded = hasRecordings() ? recordedGemini() : []

describe.skipIf(!hasRecordings())(`every recorded conversation (needs: ${NO_RECORDINGS})`, () => {
  test.each(recorded.map(({ id, request }) => [id, request] as const))('%s', (_id, request) => {
    const ctx = fromGemini(request)
    expect(held(ctx)).toEqual(request)
    expect(held(importSnapshot(ctx.export('@t0')))).toEqual(request)
    const made = toGemini(ctx)
    expect(checkGemini({ ...made })).toEqual([])
    if (checkGemini(request).length === 0) {
      expect({ ...made }).toEqual(request)
      expect(made.repairs).toEqual([])
    } else expect(made.repairs).not.toEqual([])
  })

  test.each(recorded.map(({ id, request }) => [id, request] as const))('bytes and their nodes: %s', (_id, request) => {
    const made = toGemini(fromGemini(request))
    const text = new TextDecoder().decode(made.bytes)
    expect(text).toBe(JSON.stringify(made))
    let end = 0
    for (const range of made.sourceMap) {
      expect(range.start).toBeGreaterThanOrEqual(end)
      JSON.parse(new TextDecoder().decode(made.bytes.subarray(range.start, range.end)))
      end = range.end
    }
  })
})

function held(ctx: Context): object {
  return { ...toGemini(ctx, { repair: false }) }
}
