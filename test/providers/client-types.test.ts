// The types of requests and replies against those of the providers' own clients. The compiler is the judge of this file (npm run typecheck): requests fit
// the clients' calls without a cast, replies of a client fit its adapter, and those of another provider are refused.

import type Anthropic from '@anthropic-ai/sdk'
import type { ConverseCommandInput, ConverseCommandOutput, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'
import type { Content, GenerateContentResponse, GoogleGenAIInteraction, Interactions } from '@google/genai'
import type {
  ChatCompletionRequest,
  ChatCompletionResponse,
  CompletionEvent,
} from '@mistralai/mistralai/models/components'
import type { generateText, GenerateTextResult, LanguageModel, ModelMessage, PrepareStepFunction, ToolSet } from 'ai'
import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'

import type {
  AnyModelMessage,
  receiveModelMessages,
  runOn,
  SystemMessage,
  toModelMessages,
} from '../../src/adapters/ai-sdk/index.js'
import type { receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import type { receiveBedrock, toBedrock } from '../../src/adapters/bedrock/index.js'
import type {
  GeminiSdkRequest,
  receiveGemini,
  receiveGeminiInteractions,
  toGemini,
  toGeminiInteractions,
} from '../../src/adapters/gemini/index.js'
import type { receiveMistral, toMistral } from '../../src/adapters/mistral/index.js'
import type {
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import type { Context } from '../../src/index.js'
import type { ReplyTo } from '../../src/thread/index.js'

/** The replies that each adapter takes. */
type Takes = {
  chat: Parameters<typeof receiveOpenAIChat>[1]
  responses: Parameters<typeof receiveOpenAIResponses>[1]
  claude: Parameters<typeof receiveAnthropic>[1]
  gemini: Parameters<typeof receiveGemini>[1]
  interactions: Parameters<typeof receiveGeminiInteractions>[1]
  mistral: Parameters<typeof receiveMistral>[1]
  bedrock: Parameters<typeof receiveBedrock>[1]
  sdk: Parameters<typeof receiveModelMessages>[1]
}

type Generated = GenerateTextResult<ToolSet, never>

/** The replies of each client. */
type Gives = {
  chat: OpenAI.ChatCompletion
  responses: OpenAI.Responses.Response
  claude: Anthropic.Message
  gemini: GenerateContentResponse
  interactions: GoogleGenAIInteraction
  mistral: ChatCompletionResponse
  bedrock: ConverseCommandOutput
  sdk: Generated
}

/** The adapters other than its own that take the reply of a client. */
type TakenBy<Name extends keyof Gives> = {
  [Other in Exclude<keyof Takes, Name>]: Gives[Name] extends Takes[Other] ? Other : never
}[Exclude<keyof Takes, Name>]

test('replies of a client fit its adapter', () => {
  expectTypeOf<Gives['chat']>().toExtend<Takes['chat']>()
  expectTypeOf<OpenAI.ChatCompletionMessage>().toExtend<Takes['chat']>()
  expectTypeOf<Gives['responses']>().toExtend<Takes['responses']>()
  expectTypeOf<OpenAI.Responses.ResponseOutputItem[]>().toExtend<Takes['responses']>()
  expectTypeOf<Gives['claude']>().toExtend<Takes['claude']>()
  expectTypeOf<Anthropic.Beta.BetaMessage>().toExtend<Takes['claude']>()
  expectTypeOf<Gives['gemini']>().toExtend<Takes['gemini']>()
  expectTypeOf<GenerateContentResponse[]>().toExtend<Takes['gemini']>()
  expectTypeOf<Gives['interactions']>().toExtend<Takes['interactions']>()
  expectTypeOf<Interactions.InteractionSSEEvent[]>().toExtend<Takes['interactions']>()
  expectTypeOf<Gives['mistral']>().toExtend<Takes['mistral']>()
  expectTypeOf<CompletionEvent[]>().toExtend<Takes['mistral']>()
  expectTypeOf<Gives['bedrock']>().toExtend<Takes['bedrock']>()
  expectTypeOf<ConverseStreamOutput[]>().toExtend<Takes['bedrock']>()
  expectTypeOf<Gives['sdk']>().toExtend<Takes['sdk']>()
  expectTypeOf<Awaited<ReturnType<typeof generateText>>>().toExtend<Takes['sdk']>()
  expectTypeOf<ModelMessage[]>().toExtend<Takes['sdk']>()
})

test('replies of another client are refused; Mistral has those of OpenAI, in the REST API', () => {
  expectTypeOf<TakenBy<'chat'>>().toEqualTypeOf<'mistral'>()
  expectTypeOf<TakenBy<'responses'>>().toBeNever()
  expectTypeOf<TakenBy<'claude'>>().toBeNever()
  expectTypeOf<TakenBy<'gemini'>>().toBeNever()
  expectTypeOf<TakenBy<'interactions'>>().toBeNever()
  expectTypeOf<TakenBy<'mistral'>>().toBeNever()
  expectTypeOf<TakenBy<'bedrock'>>().toBeNever()
  expectTypeOf<TakenBy<'sdk'>>().toBeNever()
})

test('an attempt takes the replies of its adapter alone', () => {
  expectTypeOf<ReplyTo<typeof toOpenAIChat>>().toEqualTypeOf<Takes['chat']>()
  expectTypeOf<ReplyTo<typeof toOpenAIResponses>>().toEqualTypeOf<Takes['responses']>()
  expectTypeOf<ReplyTo<typeof toAnthropic>>().toEqualTypeOf<Takes['claude']>()
  expectTypeOf<ReplyTo<typeof toGemini>>().toEqualTypeOf<Takes['gemini']>()
  expectTypeOf<ReplyTo<typeof toGeminiInteractions>>().toEqualTypeOf<Takes['interactions']>()
  expectTypeOf<ReplyTo<typeof toMistral>>().toEqualTypeOf<Takes['mistral']>()
  expectTypeOf<ReplyTo<typeof toBedrock>>().toEqualTypeOf<Takes['bedrock']>()
  expectTypeOf<ReplyTo<typeof toModelMessages>>().toEqualTypeOf<Takes['sdk']>()
  const started = (ctx: Context, to: typeof toAnthropic) => ctx.startAttempt({ for: to, params: { model: 'm' } })
  expectTypeOf<Parameters<ReturnType<typeof started>['receive']>>().toEqualTypeOf<[Takes['claude']]>()
})

test('requests fit the calls of the clients', () => {
  type Claude = ReturnType<typeof toAnthropic>['messages']
  expectTypeOf<Claude>().toExtend<Anthropic.MessageParam[]>()
  expectTypeOf<Claude>().toExtend<Anthropic.Beta.BetaMessageParam[]>()
  expectTypeOf<ReturnType<typeof toGemini>['contents']>().toExtend<Content[]>()
  expectTypeOf<GeminiSdkRequest['contents']>().toExtend<Content[]>()
  expectTypeOf<ReturnType<typeof toBedrock>>().toExtend<Omit<ConverseCommandInput, 'modelId'>>()
  expectTypeOf<ReturnType<typeof toMistral>>().toExtend<Pick<ChatCompletionRequest, 'messages'>>()
  expectTypeOf<AnyModelMessage[]>().toExtend<ModelMessage[]>()
  expectTypeOf<SystemMessage>().toExtend<ModelMessage>()
  expectTypeOf<ReturnType<typeof runOn>['prepareStep']>().toExtend<PrepareStepFunction>()
  expectTypeOf<Parameters<typeof generateText>[0]['model']>().toEqualTypeOf<LanguageModel>()
})

test('no type of a request or a reply is any', () => {
  expectTypeOf<AnyModelMessage>().not.toBeAny()
  expectTypeOf<SystemMessage['providerOptions']>().not.toBeAny()
  expectTypeOf<ReturnType<typeof toAnthropic>['messages'][0]['content'][0]>().not.toBeAny()
  expectTypeOf<ReturnType<typeof toGemini>['contents'][0]['parts'][0]>().not.toBeAny()
  expectTypeOf<ReturnType<typeof toBedrock>['messages'][0]['content'][0]>().not.toBeAny()
  expectTypeOf<ReturnType<typeof toMistral>['messages'][0]>().not.toBeAny()
  expectTypeOf<ReturnType<ReturnType<typeof runOn>['prepareStep']>['model']>().not.toBeAny()
})
