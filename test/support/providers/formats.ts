// The five formats side by side: how each is imported, rendered and judged, and the conversations there are.

import type fc from 'fast-check'

import { ADAPTERS } from '../../../src/adapters/index.js'
import type { FormatName } from '../../../src/formats/index.js'
import type { Context, ContextOptions, Snapshot } from '../../../src/index.js'
import { checkAnthropic } from './anthropic.js'
import { arbitraryAnthropic } from './arbitrary/anthropic.js'
import { arbitraryGemini } from './arbitrary/gemini.js'
import { arbitraryModelMessages } from './arbitrary/model-messages.js'
import { arbitraryChat } from './arbitrary/openai-chat.js'
import { arbitraryResponses } from './arbitrary/openai-responses.js'
import type { Style } from './arbitrary/oddities.js'
import { checkGemini } from './gemini.js'
import { checkModelMessages } from './model-messages.js'
import { checkOpenAIChat } from './openai-chat.js'
import { checkOpenAIResponses } from './openai-responses.js'
import { recordedAnthropic, recordedChats, recordedGemini, recordedResponses } from './recorded.js'
import { isKeyed, type Violation } from './violations.js'

type Rendered = Readonly<{ repairs: readonly unknown[]; bytes: Uint8Array }>

export type ProviderFormat = Readonly<{
  name: string
  from: (request: never, options?: ContextOptions) => Context
  to: (source: Context | Snapshot, options?: { repair?: boolean }) => Rendered
  check: (request: object) => readonly Violation[]
  /** What the provider would refuse of the context's request; `thoughts` are those that models had, to the letter. */
  faults: (source: Context | Snapshot, thoughts: readonly unknown[]) => readonly Violation[]
  arbitrary: (style: Style) => fc.Arbitrary<object>
}>

export const FORMATS: readonly ProviderFormat[] = [
  format('anthropic', checkAnthropic, arbitraryAnthropic),
  format('gemini', (body) => checkGemini(body), arbitraryGemini),
  format('ai-sdk', (body) => checkModelMessages(body), arbitraryModelMessages),
  format('openai-chat', (body) => checkOpenAIChat(body), arbitraryChat),
  format('openai-responses', (body) => checkOpenAIResponses(body), arbitraryResponses),
]

function format(
  name: FormatName,
  check: (request: object, options?: { thought: readonly unknown[] }) => readonly Violation[],
  arbitrary: ProviderFormat['arbitrary'],
): ProviderFormat {
  const { from, to } = ADAPTERS[name]
  return {
    name,
    from,
    to,
    check: (request) => check(request),
    faults: (source, thought) => check({ ...to(source) }, { thought }),
    arbitrary,
  }
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
  const [anthropic, gemini, sdk, chat, responses] = FORMATS as readonly [
    ProviderFormat,
    ProviderFormat,
    ProviderFormat,
    ProviderFormat,
    ProviderFormat,
  ]
  const all = [
    ...recordedAnthropic().map(({ name, request }) => conversation(name, anthropic, request)),
    ...recordedGemini().map(({ name, request }) => conversation(name, gemini, request)),
    ...recordedChats().map(({ name, request }) => conversation(name, chat, request)),
    ...recordedResponses().map(({ name, request }) => conversation(name, responses, request)),
  ]
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

/** Every block of the request that is a signed thought, as it stands there. */
function thoughtsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(thoughtsIn)
  if (!isKeyed(value)) return []
  if (value['type'] === 'thinking' || value['type'] === 'redacted_thinking') return [value]
  return Object.values(value).flatMap(thoughtsIn)
}
