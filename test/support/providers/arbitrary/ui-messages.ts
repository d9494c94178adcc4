// UI messages of the AI SDK: all parts, all states of tools, approvals, and the keys that only a UI has. Those of version 7 on request.

import fc from 'fast-check'

export type UiStyle = Readonly<{
  version: 6 | 7
  /** True if every call has what a request needs: a result, or an approval in the last message. */
  isComplete: boolean
}>

export type UiMessage = { id: string; role: 'system' | 'user' | 'assistant'; metadata?: unknown; parts: UiPart[] }
export type UiPart = { type: string } & Record<string, unknown>

const word = fc.constantFrom('sun', 'rain', 'a b', 'Ω', 'wind "x"', '-')
const text = fc.oneof(word, word, fc.constant(''), fc.string({ maxLength: 6 }))
const json = fc.oneof(
  word,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.record({ city: word, 'pact:url': fc.constant('https://example.com') }, { requiredKeys: ['city'] }),
  fc.array(word, { maxLength: 2 }),
)
const metadata = fc.constantFrom<object>(
  { openai: { itemId: 'msg_1' } },
  { anthropic: { signature: 'c2ln' } },
  { google: { thoughtSignature: 's' } },
)
const PNG = 'data:image/png;base64,iVBORw0KGgo='
const url = fc.constantFrom(PNG, 'https://example.com/a.png', 'data:text/plain;charset=utf-8;base64,aGk=')

/** A record whose optional keys are there or not. */
function some(
  needed: Record<string, unknown>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<UiPart> {
  const fixed = Object.entries(needed).map(([key, value]) => [key, isArbitrary(value) ? value : fc.constant(value)])
  const all = { ...(Object.fromEntries(fixed) as Record<string, fc.Arbitrary<unknown>>), ...optional }
  return fc.record(all, { requiredKeys: Object.keys(needed) }).map((part) => ({ ...part })) as fc.Arbitrary<UiPart>
}

function isArbitrary(value: unknown): value is fc.Arbitrary<unknown> {
  return value instanceof fc.Arbitrary
}

const streamed = fc.constantFrom('streaming', 'done')
const file = { type: 'file', mediaType: fc.constantFrom('image/png', 'application/pdf'), url }

function textPart(version: number): fc.Arbitrary<UiPart> {
  const citations = fc.constant([])
  return some(
    { type: 'text', text },
    { state: streamed, providerMetadata: metadata, ...(version === 7 ? { citations } : {}) },
  )
}

function filePart(version: number): fc.Arbitrary<UiPart> {
  const names = { providerReference: fc.constant({ openai: 'file_1' }) }
  return some(file, { filename: word, providerMetadata: metadata, ...(version === 7 ? names : {}) })
}

/** Parts that no model gets. */
const uiOnly: fc.Arbitrary<UiPart> = fc.oneof(
  some({ type: 'data-weather', data: json }, { id: word }),
  some({ type: 'source-url', sourceId: 's1', url: 'https://example.com' }, { title: word, providerMetadata: metadata }),
  some({ type: 'source-document', sourceId: 's2', mediaType: 'application/pdf', title: word }, { filename: word }),
)

const seven: fc.Arbitrary<UiPart> = fc.oneof(
  some({ type: 'custom', kind: 'openai.item' }, { providerMetadata: metadata }),
  some({ type: 'reasoning-file', mediaType: 'image/png', url: PNG }, { providerMetadata: metadata }),
  some({
    type: 'steering-message',
    id: word,
    parts: fc.array(fc.oneof(textPart(7), filePart(7)), { minLength: 1, maxLength: 2 }),
  }),
)

function approval(kind: 'asked' | 'yes' | 'no' | 'any', { version, isComplete }: UiStyle): fc.Arbitrary<UiPart> {
  const newer = version === 7 ? { requestReason: word, isAutomatic: fc.boolean() } : {}
  const asked = { signature: word, inputSchemaInput: json, ...newer }
  // A version 6 leaves the refusal to the SDK, version 7 writes it.
  const approved = kind === 'any' ? (isComplete && version === 6 ? true : fc.boolean()) : kind === 'yes'
  const given = kind === 'asked' ? {} : { approved }
  return some({ id: fc.constant(''), ...given }, { ...asked, ...(kind === 'asked' ? {} : { reason: word }) })
}

function toolPart(style: UiStyle, isLast: boolean): fc.Arbitrary<UiPart> {
  const about = { title: word, toolMetadata: fc.constant({ shown: true }), callProviderMetadata: metadata }
  const run = { providerExecuted: fc.boolean() }
  const told = { resultProviderMetadata: metadata }
  const of = (kind: 'asked' | 'yes' | 'no' | 'any'): fc.Arbitrary<UiPart> => approval(kind, style)
  const done = [
    some(
      { state: 'output-available', input: json, output: json },
      { ...about, ...run, ...told, preliminary: fc.boolean(), approval: of('yes') },
    ),
    some({ state: 'output-error', input: json, errorText: word }, { ...about, ...run, ...told, approval: of('yes') }),
    some({ state: 'output-error', errorText: word }, { ...about, rawInput: json }),
    some({ state: 'output-denied', input: json, approval: of('no') }, about),
    some({ state: 'input-streaming' }, { input: json, rawInput: word, title: word, callProviderMetadata: metadata }),
  ]
  const open = [
    some({ state: 'input-available', input: json }, { ...about, ...run }),
    some({ state: 'approval-requested', input: json, approval: of('asked') }, { ...about, ...run }),
  ]
  const answered = some({ state: 'approval-responded', input: json, approval: of('any') }, about)
  const states = [...done, ...(style.isComplete ? [] : open), ...(style.isComplete && !isLast ? [] : [answered])]
  const named = fc.oneof(
    fc.record({ type: fc.constantFrom('tool-weather', 'tool-look-up') }),
    fc.record({ type: fc.constant('dynamic-tool'), toolName: fc.constantFrom('weather', 'mcp') }),
  )
  return fc
    .tuple(named, fc.constant(''), fc.oneof(...states))
    .map(([type, toolCallId, part]) => ({ ...type, toolCallId, ...part }))
}

function assistantParts(style: UiStyle, isLast: boolean): fc.Arbitrary<UiPart[]> {
  const { version } = style
  const part = fc.oneof(
    { arbitrary: textPart(version), weight: 3 },
    { arbitrary: toolPart(style, isLast), weight: 4 },
    {
      arbitrary: some({ type: 'reasoning', text: word }, { state: streamed, id: word, providerMetadata: metadata }),
      weight: 2,
    },
    { arbitrary: filePart(version), weight: 1 },
    { arbitrary: uiOnly, weight: 2 },
    { arbitrary: fc.constant<UiPart>({ type: 'step-start' }), weight: 3 },
    ...(version === 7 ? [{ arbitrary: seven, weight: 2 }] : []),
  )
  const parts = fc.array(part, { maxLength: 8 })
  // An answered call that is not of the last step has lost its result.
  return style.isComplete
    ? parts.map((all) => all.filter((each, i) => !isAnswered(each) || !all.slice(i).some(endsStep)))
    : parts
}

function isAnswered({ state }: UiPart): boolean {
  return state === 'approval-responded'
}

function endsStep({ type }: UiPart): boolean {
  return type === 'step-start' || type === 'steering-message'
}

/** A chat: perhaps a system message, then users and assistants in any order. */
export function arbitraryUiMessages(style: UiStyle): fc.Arbitrary<UiMessage[]> {
  const about = { metadata: json }
  const message = (role: UiMessage['role'], parts: fc.Arbitrary<UiPart[]>): fc.Arbitrary<UiMessage> =>
    fc.record(
      { id: fc.constant(''), role: fc.constant(role), parts, ...about },
      { requiredKeys: ['id', 'role', 'parts'] },
    )
  const { version } = style
  const userPart = fc.oneof(
    { arbitrary: textPart(version), weight: 3 },
    { arbitrary: filePart(version), weight: 1 },
    { arbitrary: uiOnly, weight: 1 },
  )
  const user = message('user', fc.array(userPart, { minLength: 1, maxLength: 3 }))
  const system = message('system', fc.array(fc.oneof(textPart(version), uiOnly), { minLength: 1, maxLength: 3 }))
  const spoken = fc.oneof(user, message('assistant', assistantParts(style, false)))
  return fc
    .tuple(
      fc.option(system, { nil: undefined }),
      fc.array(spoken, { minLength: 1, maxLength: 4 }),
      message('assistant', assistantParts(style, true)),
    )
    .map(([first, rest, last]) => withIds([...(first === undefined ? [] : [first]), ...rest, last]))
}

/** Ids by place, so that a counterexample stays one while it is made smaller. */
function withIds(messages: readonly UiMessage[]): UiMessage[] {
  return messages.map((message, at) => ({
    ...message,
    id: `message-${at}`,
    parts: message.parts.map((part, i) => {
      if (!('toolCallId' in part)) return part
      const { approval: given, ...rest } = part
      const asked = given === undefined ? {} : { approval: { ...(given as object), id: `approval-${at}-${i}` } }
      return { ...rest, toolCallId: `call-${at}-${i}`, ...asked }
    }),
  }))
}
