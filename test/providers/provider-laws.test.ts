// Every adapter against recorded, hand-made and generated conversations, the checker of its provider's rules and the provider's own
// client. The AI SDK has no recordings and takes system messages elsewhere than they came; its laws are in ai-sdk.test.ts.

import { describe } from 'vitest'

import { adapterLaws } from '../support/providers/adapter-laws.js'
import { FORMATS } from '../support/providers/formats.js'

describe.each(FORMATS.filter(({ name }) => name !== 'ai-sdk'))('$name', (format) => {
  adapterLaws(format as never)
})
