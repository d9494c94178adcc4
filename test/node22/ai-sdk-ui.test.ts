// UI messages against version 7 of the SDK; test/providers has the same for version 6.

import { convertToModelMessages, safeValidateUIMessages, type UIMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { fromUIMessages, toUIMessages } from '../../src/adapters/ai-sdk/index.js'
import { arbitraryUiMessages } from '../support/providers/arbitrary/ui-messages.js'
import { checkRequest, checkRoundTrip, type UiSdk } from '../support/providers/ui-messages.js'

const SDK: UiSdk = {
  validate: (messages) => safeValidateUIMessages({ messages }),
  convert: (messages) => convertToModelMessages(messages as UIMessage[]),
}

describe('UI messages of version 7', () => {
  it('come back, also after an export, and are valid', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryUiMessages({ version: 7, isComplete: false }), (messages) =>
        checkRoundTrip(SDK, messages),
      ),
      { numRuns: 200 },
    )
  })

  it('make the request that the SDK makes of them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryUiMessages({ version: 7, isComplete: true }), async (messages) => {
        await checkRequest(SDK, messages)
      }),
      { numRuns: 200 },
    )
  })

  it('are typed as the SDK types them', () => {
    const messages: UIMessage[] = [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    const again: UIMessage[] = toUIMessages<UIMessage>(fromUIMessages(messages))
    expect(again).toEqual(messages)
  })
})
