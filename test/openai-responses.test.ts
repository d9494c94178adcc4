// The Responses API against recorded, hand-made and generated conversations, the checker of its rules and OpenAI's own client.

import { fromOpenAIResponses, toOpenAIResponses } from '../src/adapters/openai/index.js'
import { adapterLaws } from './support/providers/adapter-laws.js'
import { arbitraryResponses } from './support/providers/arbitrary/openai-responses.js'
import { judgeWithResponses } from './support/providers/clients.js'
import { ODD_RESPONSES } from './support/providers/odd-responses.js'
import { checkOpenAIResponses } from './support/providers/openai-responses.js'
import { recordedResponses, type ResponsesRequest } from './support/providers/recorded.js'

adapterLaws<ResponsesRequest>({
  from: fromOpenAIResponses,
  to: toOpenAIResponses,
  check: checkOpenAIResponses,
  judge: judgeWithResponses,
  recorded: recordedResponses,
  arbitrary: arbitraryResponses,
  odd: ODD_RESPONSES as never,
})
