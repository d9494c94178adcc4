// Chat Completions against recorded, hand-made and generated conversations, the checker of its rules and OpenAI's own client.

import { fromOpenAIChat, toOpenAIChat } from '../src/adapters/openai/index.js'
import { adapterLaws } from './support/providers/adapter-laws.js'
import { arbitraryChat } from './support/providers/arbitrary/openai-chat.js'
import { judgeWithOpenAI } from './support/providers/clients.js'
import { ODD_CHATS } from './support/providers/odd-chats.js'
import { checkOpenAIChat } from './support/providers/openai-chat.js'
import { recordedChats, type ChatRequest } from './support/providers/recorded.js'

adapterLaws<ChatRequest>({
  from: fromOpenAIChat,
  to: toOpenAIChat,
  check: checkOpenAIChat,
  judge: judgeWithOpenAI,
  recorded: recordedChats,
  arbitrary: arbitraryChat,
  odd: ODD_CHATS.map(({ messages, ...about }) => ({ ...about, request: { messages } })),
})
