// Claude as its server behaves since thoughts are bound: it keeps what was before each signature, as text, and refuses a request in which that is
// another one, or in which a signature is not its own. It speaks as Anthropic, Bedrock and the AI SDK have it. It shares no code with the
// adapters.

import type { AnthropicReply } from '../../../src/adapters/anthropic/index.js'

export type Block = Readonly<Record<string, unknown>>
type Message = Readonly<{ role: string; content: string | readonly Block[] }>
export type ClaudeBody = Readonly<{ messages: readonly Message[] }> & Readonly<Record<string, unknown>>

/** The form of a reply. `interleaved` has a thought before each call. */
export type Said = Readonly<{ calls: number; text: boolean; interleaved: boolean; redacted: boolean; thinks: boolean }>

/** The spelling of a provider. */
export type Spelling = Readonly<{
  thought(signature: string, isRedacted: boolean): Block
  text(text: string): Block
  call(id: string): Block
  reply(content: readonly Block[], stop: 'call' | 'end'): object
  signatureOf(block: Block): string | undefined
  /** True for a key or a block that is a cache mark, and no difference. */
  isMark(key: string, value: unknown): boolean
  /** The key of the tools. */
  tools: string
}>

export const ANTHROPIC: Spelling = {
  thought: (signature, isRedacted) =>
    isRedacted
      ? { type: 'redacted_thinking', data: signature }
      : { type: 'thinking', thinking: `Why ${signature}?`, signature },
  text: (text) => ({ type: 'text', text, citations: null }),
  call: (id) => ({ type: 'tool_use', id, name: 'look_up', input: { question: id, again: false } }),
  reply: (content, stop) => ({
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content,
    stop_reason: stop === 'call' ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 10, output_tokens: 10 },
  }),
  signatureOf: ({ type, signature, data }) =>
    type === 'thinking' ? String(signature) : type === 'redacted_thinking' ? String(data) : undefined,
  isMark: (key, value) => key === 'cache_control' || (key === 'citations' && value === null),
  tools: 'tools',
}

export const AI_SDK: Spelling = {
  thought: (signature, isRedacted) => ({
    type: 'reasoning',
    text: isRedacted ? '' : `Why ${signature}?`,
    providerOptions: { anthropic: isRedacted ? { redactedData: signature } : { signature } },
  }),
  text: (text) => ({ type: 'text', text }),
  call: (id) => ({ type: 'tool-call', toolCallId: id, toolName: 'look_up', input: { question: id, again: false } }),
  reply: (content, stop) => ({
    response: { messages: [{ role: 'assistant', content }] },
    finishReason: stop === 'call' ? 'tool-calls' : 'stop',
  }),
  signatureOf: ({ type, providerOptions }) => {
    if (type !== 'reasoning') return undefined
    const { signature, redactedData } = (providerOptions as { anthropic: Block }).anthropic
    return String(signature ?? redactedData)
  },
  isMark: (key) => key === 'cacheControl',
  tools: 'tools',
}

export const BEDROCK: Spelling = {
  thought: (signature, isRedacted) => ({
    reasoningContent: isRedacted
      ? { redactedContent: Buffer.from(signature).toString('base64') }
      : { reasoningText: { text: `Why ${signature}?`, signature } },
  }),
  text: (text) => ({ text }),
  call: (id) => ({ toolUse: { toolUseId: id, name: 'look_up', input: { question: id, again: false } } }),
  reply: (content, stop) => ({
    output: { message: { role: 'assistant', content } },
    stopReason: stop === 'call' ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 10, outputTokens: 10 },
  }),
  signatureOf: ({ reasoningContent }) => {
    if (reasoningContent === undefined) return undefined
    const { reasoningText: shown, redactedContent: hidden } = reasoningContent as Readonly<{
      reasoningText?: { signature: string }
      redactedContent?: string
    }>
    return hidden === undefined ? shown!.signature : Buffer.from(hidden, 'base64').toString()
  },
  isMark: () => false,
  tools: 'toolConfig',
}

export class RefusedByClaude extends Error {
  readonly status = 400
}

export class BoundClaude {
  readonly requests: ClaudeBody[] = []
  readonly #speaks: Spelling
  #made = 0
  #calls = 0
  readonly #beginnings = new Map<string, string>()

  constructor(speaks: Spelling = ANTHROPIC) {
    this.#speaks = speaks
  }

  /** The number of thoughts that it has made. */
  get thoughts(): number {
    return this.#made
  }

  /** The reply to a request; throws the answer of the server to one that it refuses. */
  create(body: object, said: Said): AnthropicReply {
    const request = this.take(body)
    const content: Block[] = []
    const think = (): void => {
      if (said.thinks) content.push(this.think(request, content, said.redacted))
    }
    think()
    if (said.text || said.calls === 0) content.push(this.#speaks.text(`Answer ${this.requests.length}.`))
    for (let i = 0; i < said.calls; i++) {
      if (said.interleaved && i > 0) think()
      content.push(this.#speaks.call(`toolu_${++this.#calls}`))
    }
    // In another spelling it is the reply of another host.
    return this.#speaks.reply(content, said.calls > 0 ? 'call' : 'end') as AnthropicReply
  }

  /** Keeps a request, as it would be sent; throws the answer of the server to one that it refuses. */
  take(body: object): ClaudeBody {
    const request = JSON.parse(JSON.stringify(body)) as ClaudeBody
    this.#check(request)
    this.requests.push(request)
    return request
  }

  /** A thought in the reply to a request, behind what the reply has so far. */
  think(request: ClaudeBody, before: readonly Block[], isRedacted = false): Block {
    const signature = `signature-${++this.#made}`
    this.#beginnings.set(signature, this.#beginning(request, request.messages, before))
    return this.#speaks.thought(signature, isRedacted)
  }

  /** The thoughts in a request, by their signatures. */
  signaturesIn({ messages }: ClaudeBody): readonly string[] {
    return messages.flatMap(({ content }) =>
      blocksOf(content).flatMap((block) => this.#speaks.signatureOf(block) ?? []),
    )
  }

  /** A request without thoughts, and without messages that have nothing else. */
  withoutThoughts({ messages, ...request }: ClaudeBody): ClaudeBody {
    const kept = messages.flatMap((message) => {
      if (typeof message.content === 'string') return [message]
      const content = message.content.filter((block) => this.#speaks.signatureOf(block) === undefined)
      return content.length === 0 ? [] : [{ ...message, content }]
    })
    return { ...request, messages: kept }
  }

  #check(request: ClaudeBody): void {
    for (const [i, { content }] of request.messages.entries()) {
      for (const [j, block] of blocksOf(content).entries()) {
        const signature = this.#speaks.signatureOf(block)
        if (signature === undefined) continue
        const now = this.#beginning(request, request.messages.slice(0, i), blocksOf(content).slice(0, j))
        if (this.#beginnings.get(signature) === now) continue
        const what = 'Invalid `signature` in `thinking` block. The block is bound to a different conversation'
        throw new RefusedByClaude(`messages.${i}.content.${j}: ${what}`)
      }
    }
  }

  /** Everything before a thought, as text: without cache marks, with keys in order, and a text as the one block that it stands for. */
  #beginning(request: ClaudeBody, messages: readonly Message[], reply: readonly Block[]): string {
    const list = [...messages, { role: 'assistant', content: reply }]
    const { system = [], [this.#speaks.tools]: tools = [] } = request
    return JSON.stringify(
      this.#plain({
        tools,
        system: blocksOf(system as string),
        messages: list.map((message) => ({ ...message, content: blocksOf(message.content) })),
      }),
    )
  }

  #plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#plain(each))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, each]) => !this.#speaks.isMark(key, each))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => [key, this.#plain(each)]),
    )
  }
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
