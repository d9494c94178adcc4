// Claude's Messages API against recorded conversations and the checker of its rules.

import { describe, expect, test } from 'vitest'

import { fromAnthropic, toAnthropic } from '../src/adapters/anthropic/index.js'
import { importSnapshot, type Context } from '../src/index.js'
import { checkAnthropic } from './support/providers/anthropic.js'
import { hasRecordings, NO_RECORDINGS, recordedAnthropic } from './support/providers/recorded.js'

const recorded = hasRecordings() ? recordedAnthropic() : []

describe.skipIf(!hasRecordings())(`every recorded conversation (needs: ${NO_RECORDINGS})`, () => {
  test.each(recorded.map(({ id, request }) => [id, request] as const))('%s', (_id, request) => {
    const ctx = fromAnthropic(request)
    expect(held(ctx)).toEqual(request)
    expect(held(importSnapshot(ctx.export('@t0')))).toEqual(request)
    const made = toAnthropic(ctx)
    expect(checkAnthropic({ ...made })).toEqual([])
    if (checkAnthropic(request).length === 0) {
      expect({ ...made }).toEqual(request)
      expect(made.repairs).toEqual([])
    } else expect(made.repairs).not.toEqual([])
  })

  test.each(recorded.map(({ id, request }) => [id, request] as const))('bytes and their nodes: %s', (_id, request) => {
    const made = toAnthropic(fromAnthropic(request))
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
  return { ...toAnthropic(ctx, { repair: false }) }
}
