// The formats side by side: how each is imported, rendered and judged, and the conversations there are.

import type fc from 'fast-check'

import { ADAPTERS } from '../../../src/adapters/index.js'
import type { FormatName } from '../../../src/formats/index.js'
import type { Context, ContextOptions, Snapshot } from '../../../src/index.js'
import { checkAnthropic } from './anthropic.js'
import { arbitraryAnthropic } from './arbitrary/anthropic.js'
import { arbitraryGemini } from './arbitrary/gemini.js'
import { arbitraryInteractions } from './arbitrary/gemini-interactions.js'
import { arbitraryModelMessages } from './arbitrary/model-messages.js'
import { arbitraryChat } from './arbitrary/openai-chat.js'
import { arbitraryResponses } from './arbitrary/openai-responses.js'
import type { Style } from './arbitrary/oddities.js'
import { checkGemini } from './gemini.js'
import { checkGeminiInteractions } from './gemini-interactions.js'
import { checkModelMessages } from './model-messages.js'
import { checkOpenAIChat } from './openai-chat.js'
import { checkOpenAIResponses } from './openai-responses.js'
import {
  recordedAnthropic,
  recordedChats,
  recordedGemini,
  recordedRaw,
  recordedResponses,
  type ChatRequest,
} from './recorded.js'
import type { Made } from './adapter-laws.js'
import { judgeWithAiSdk } from './ai-sdk.js'
import { arbitraryBedrock } from './arbitrary/bedrock.js'
import { arbitraryMistral } from './arbitrary/mistral.js'
import { checkBedrock } from './bedrock.js'
import type { Carried } from './carried.js'
import {
  judgeWithAnthropic,
  judgeWithBedrock,
  judgeWithGemini,
  judgeWithInteractions,
  judgeWithMistral,
  judgeWithOpenAI,
  judgeWithResponses,
  type Judgement,
} from './clients.js'
import { checkMistral } from './mistral.js'
import { ODD_CHATS } from './odd-chats.js'
import { ODD_RESPONSES } from './odd-responses.js'
import { isKeyed, type Violation } from './violations.js'

export type ProviderFormat = Readonly<{
  name: string
  from: (request: never, options?: ContextOptions) => Context
  to: (source: Context | Snapshot, options?: { repair?: boolean }) => Made
  check: (request: object) => readonly Violation[]
  /** The faults that the provider would find in the context's request; `thoughts` are those that models had, to the letter. */
  faults: (source: Context | Snapshot, thoughts: readonly unknown[]) => readonly Violation[]
  arbitrary: (style: Style) => fc.Arbitrary<object>
  /** The provider's own client. */
  judge: (request: never) => Promise<Pick<Judgement, 'errors'>>
  recorded: () => readonly Readonly<{ name: string; request: object }>[]
  /** Conversations by hand that no recording has; `isRefused` where the judge does not see what the provider would refuse. */
  odd: readonly Readonly<{ what: string; request: object; isRefused?: boolean }>[]
  /** The common parts that it can carry: all of them, by default. */
  carries: (carried: Carried) => Carried
}>

type Check = (request: object, options?: { thought: readonly unknown[] }) => readonly Violation[]

/** Every adapter. One that is new gets a row here, and with it all laws and tests over formats. */
export const FORMATS: readonly ProviderFormat[] = [
  format('anthropic', {
    check: checkAnthropic,
    arbitrary: arbitraryAnthropic,
    judge: judgeWithAnthropic,
    recorded: recordedAnthropic,
  }),
  format('gemini', {
    check: (body) => checkGemini(body),
    arbitrary: arbitraryGemini,
    // The client drops the snake_case keys that some recordings have.
    judge: (request) => (JSON.stringify(request).includes('_') ? NO_FAULTS : judgeWithGemini(request)),
    recorded: recordedGemini,
  }),
  format('gemini-interactions', {
    check: (body) => checkGeminiInteractions(body),
    arbitrary: arbitraryInteractions,
    judge: judgeWithInteractions,
    // There are none; these are others as they are sent to it.
    recorded: () =>
      recordedGemini().map(({ name, request }) => ({
        name: `${name} as an interaction`,
        request: { ...ADAPTERS['gemini-interactions'].to(ADAPTERS.gemini.from(request as never)) },
      })),
  }),
  format('ai-sdk', {
    check: (body) => checkModelMessages(body),
    arbitrary: arbitraryModelMessages,
    judge: judgeWithAiSdk,
    recorded: () => [],
  }),
  format('openai-chat', {
    check: (body) => checkOpenAIChat(body),
    arbitrary: arbitraryChat,
    judge: judgeWithOpenAI,
    recorded: recordedChats,
    odd: ODD_CHATS.map(({ messages, ...about }) => ({ ...about, request: { messages } })),
  }),
  format('openai-responses', {
    check: (body) => checkOpenAIResponses(body),
    arbitrary: arbitraryResponses,
    judge: judgeWithResponses,
    recorded: recordedResponses,
    odd: ODD_RESPONSES,
  }),
  format('mistral', {
    check: (body) => checkMistral(body),
    arbitrary: arbitraryMistral,
    judge: judgeWithMistral,
    recorded: () =>
      recordedChats()
        .filter((_, at) => at % 12 === 0)
        .map(asMistral),
  }),
  format('bedrock', {
    check: (body) => checkBedrock(body),
    arbitrary: arbitraryBedrock,
    judge: judgeWithBedrock,
    // Some are of Claude's own API, which Bedrock has too.
    recorded: () =>
      recordedRaw('bedrock-converse').filter(({ request }) => !JSON.stringify(request).includes('"type":"text"')),
    // Bedrock takes bytes, and reads no addresses.
    carries: ({ pictures, ...carried }) => ({
      ...carried,
      pictures: pictures.filter((each) => !/^https?:/.test(each)),
    }),
  }),
]

const NO_FAULTS = Promise.resolve({ errors: [] })

/** There are no recordings of Mistral; these are others as they are sent to it. */
function asMistral({
  name,
  request,
}: Readonly<{ name: string; request: ChatRequest }>): Readonly<{ name: string; request: object }> {
  return {
    name: `${name} to Mistral`,
    request: { ...ADAPTERS.mistral.to(ADAPTERS['openai-chat'].from(request as never)) },
  }
}

function format(
  name: FormatName,
  row: Readonly<{ check: Check; odd?: ProviderFormat['odd']; carries?: ProviderFormat['carries'] }> &
    Pick<ProviderFormat, 'arbitrary' | 'judge' | 'recorded'>,
): ProviderFormat {
  const { from } = ADAPTERS[name]
  // Parts that no table has are odd here, and not a provider's of tomorrow: a context with such is judged without them, any other by default.
  const to: ProviderFormat['to'] = (source, options) =>
    ADAPTERS[name].to(source, hasUnknown(source) ? { unknown: 'drop', ...options } : options)
  const { check, odd = [], carries = (carried) => carried, ...rest } = row
  return {
    name,
    from,
    to,
    check: (request) => check(request),
    faults: (source, thought) => check({ ...to(source) }, { thought }),
    odd,
    carries,
    ...rest,
  }
}

/** True if a node came with something that its adapter does not know, or does not look into. */
function hasUnknown(source: Context | Snapshot): boolean {
  return source.count('[data_wire]') > 0
}

export type Conversation = Readonly<{
  name: string
  format: string
  request: object
  open: (options?: ContextOptions) => Context
  thoughts: readonly unknown[]
}>

export function generated(of: ProviderFormat, style: Style = 'odd'): fc.Arbitrary<Conversation> {
  return of.arbitrary(style).map((request) => conversation('generated', of, request))
}

/** Those that others recorded, and what the AI SDK would make of some of them. */
export function recordedConversations(): readonly Conversation[] {
  const rows = FORMATS.filter(({ name }) => name !== 'mistral' && name !== 'gemini-interactions')
  const all = rows.flatMap((of) => of.recorded().map(({ name, request }) => conversation(name, of, request)))
  const sdk = FORMATS.find(({ name }) => name === 'ai-sdk')!
  return [...all, ...all.map((each) => asModelMessages(each, sdk))]
}

/** Made when it is asked for: not every test opens all of them. */
function asModelMessages(each: Conversation, sdk: ProviderFormat): Conversation {
  const made = (): Conversation => conversation(each.name, sdk, { ...ADAPTERS['ai-sdk'].to(each.open()) })
  return {
    name: `${each.name} as ModelMessages`,
    format: sdk.name,
    get request() {
      return made().request
    },
    open: (options) => made().open(options),
    thoughts: [],
  }
}

function conversation(name: string, of: ProviderFormat, request: object): Conversation {
  return {
    name,
    format: of.name,
    request,
    open: (options) => of.from(request as never, options),
    get thoughts() {
      return thoughtsIn(request)
    },
  }
}

/** Every block of the request that is a signed thought, as it is there. */
function thoughtsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(thoughtsIn)
  if (!isKeyed(value)) return []
  if (value['type'] === 'thinking' || value['type'] === 'redacted_thinking') return [value]
  return Object.values(value).flatMap(thoughtsIn)
}
