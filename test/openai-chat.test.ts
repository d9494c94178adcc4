// Chat Completions against recorded conversations and the checker of its rules.

import { describe, expect, test } from 'vitest'

import { fromOpenAIChat, toOpenAIChat } from '../src/adapters/openai/index.js'
import { importSnapshot, type Context } from '../src/index.js'
import { checkOpenAIChat } from './support/providers/openai-chat.js'
import { hasRecordings, NO_RECORDINGS, recordedChats } from './support/providers/recorded.js'
import { ODD_CHATS } from './support/providers/odd-chats.js'

const recorded = hasRecordings() ? recordedChats() : []

describe.skipIf(!hasRecordings())(`every recorded conversation (needs: ${NO_RECORDINGS})`, () => {
  test('comes back as it was, also after export and import', () => {
    for (const { name, request } of recorded) {
      const ctx = fromOpenAIChat(request)
      expect(held(ctx), name).toStrictEqual(request)
      expect(held(importSnapshot(ctx.export('@t0'))), name).toStrictEqual(request)
    }
  })

  test('is valid by default, and unchanged where it was valid', () => {
    let changed = 0
    for (const { name, request } of recorded) {
      const made = toOpenAIChat(fromOpenAIChat(request))
      expect(checkOpenAIChat({ ...made }), name).toEqual([])
      if (checkOpenAIChat(request).length === 0) {
        expect({ ...made }, name).toStrictEqual(request)
        expect(made.repairs, name).toEqual([])
      } else {
        expect(made.repairs, name).not.toEqual([])
        changed++
      }
    }
    expect(changed).toBeGreaterThan(0)
  })

  test('has its bytes, and every node its part of them, in order and apart', () => {
    for (const { name, request } of recorded) checkBytes(fromOpenAIChat(request), name)
  })
})

describe('what no recording has', () => {
  test.each(ODD_CHATS)('$what', ({ messages, isRefused = false }) => {
    const ctx = fromOpenAIChat({ messages })
    expect(held(ctx)).toStrictEqual({ messages })
    expect(held(importSnapshot(ctx.export('@t0')))).toStrictEqual({ messages })
    const made = toOpenAIChat(ctx)
    expect(checkOpenAIChat({ ...made })).toEqual([])
    if (!isRefused && checkOpenAIChat({ messages }).length === 0) {
      expect({ ...made }).toStrictEqual({ messages })
      expect(made.repairs).toEqual([])
    } else expect(made.repairs).not.toEqual([])
    checkBytes(ctx, '')
  })
})

function held(ctx: Context): object {
  return { ...toOpenAIChat(ctx, { repair: false }) }
}

function checkBytes(ctx: Context, name: string): void {
  for (const made of [toOpenAIChat(ctx), toOpenAIChat(ctx, { repair: false })]) {
    expect(new TextDecoder().decode(made.bytes), name).toBe(JSON.stringify(made))
    let last = 0
    for (const { node, start, end } of made.sourceMap) {
      expect(start, name).toBeGreaterThanOrEqual(last)
      JSON.parse(new TextDecoder().decode(made.bytes.subarray(start, end)))
      expect(ctx.node(node), name).toBeDefined()
      last = end
    }
  }
}
