// Servers that compact, as Anthropic's and OpenAI's documents and client types describe them. Texts in tests hold facts (`fact-12`). A server knows
// which facts each of its summaries stands for, and says what the model sees and what is billed. It shares no code with the adapters.

import type { AnthropicReply } from '../../../src/adapters/anthropic/index.js'
import type { OpenAIResponsesReply } from '../../../src/adapters/openai/index.js'

type Json = Readonly<Record<string, unknown>>
type Typed = Json & Readonly<{ type: string }>

/** The facts that a model sees, and those of them that a summary stands for. `read` are all facts in the body: they are billed. */
export type Seen = Readonly<{ facts: ReadonlySet<string>; summarized: ReadonlySet<string>; read: readonly string[] }>

export class RefusedCompaction extends Error {
  readonly status = 400
}

export function factsIn(value: unknown): readonly string[] {
  return JSON.stringify(value).match(/fact-\d+/g) ?? []
}

/** Claude: a block `compaction`, signed (on request) or not (in the stream). */
export class CompactingClaude {
  readonly #summaries = new Map<string, ReadonlySet<string>>()
  #made = 0

  see(body: object): Seen {
    const messages = listIn(body, 'messages')
    const blocks = messages.flatMap(({ role, content }) =>
      typeof content === 'string'
        ? [{ role, type: 'text', text: content }]
        : (content as readonly Json[]).map((block): Json => ({ ...block, role })),
    )
    const places = blocks.flatMap(({ type, content }, at) =>
      type === 'compaction' && typeof content === 'string' ? [at] : [],
    )
    if (places.length > 1) throw new RefusedCompaction('compaction_block_ambiguous')
    const [at] = places
    if (at === undefined) return seen(factsIn(messages), NONE)
    const { content, signature, role } = blocks[at]!
    const summarized = this.#summaries.get(content as string)
    if (summarized === undefined) throw new RefusedCompaction('compaction_content_mismatch')
    if (role !== 'assistant' || (typeof signature === 'string' && at !== 0))
      throw new RefusedCompaction('compaction_block_misplaced')
    if (typeof signature === 'string' && signature !== `signed ${String(content)}`)
      throw new RefusedCompaction('compaction_signature_invalid')
    // The server ignores what is before the block, but it was sent.
    return { ...seen(factsIn(blocks.slice(at)), summarized), read: factsIn(messages) }
  }

  /** The reply to a request with `context_management`: the block, and then the answer. */
  inStream(body: object, answer: string): AnthropicReply {
    return reply([this.#block(body), { type: 'text', text: answer }], 'end_turn')
  }

  /** The reply to a request with `compaction: { type: 'summarize' }`. */
  onRequest(body: object): AnthropicReply {
    const block = this.#block(body)
    return reply([{ ...block, signature: `signed ${block.content}`, tool_changes: [] }], 'compaction')
  }

  answer(body: object, answer: string): AnthropicReply {
    this.see(body)
    return reply([{ type: 'text', text: answer }], 'end_turn')
  }

  #block(body: object): Readonly<{ type: 'compaction'; content: string; encrypted_content: string }> {
    const content = `Summary ${++this.#made}.`
    this.#summaries.set(content, this.see(body).facts)
    return { type: 'compaction', content, encrypted_content: `opaque ${this.#made}` }
  }
}

/** OpenAI: an item `compaction`, in the output of a response or of `/responses/compact`. */
export class CompactingOpenAI {
  readonly #summaries = new Map<unknown, ReadonlySet<string>>()
  #made = 0

  see(body: object): Seen {
    const items = listIn(body, 'input')
    const summarized = new Set<string>()
    for (const { type, encrypted_content: text } of items) {
      if (type !== 'compaction') continue
      const facts = this.#summaries.get(text)
      if (facts === undefined) throw new RefusedCompaction('invalid encrypted_content')
      for (const fact of facts) summarized.add(fact)
    }
    return seen(factsIn(items), summarized)
  }

  inStream(body: object, answer: string): OpenAIResponsesReply {
    return response('response', [this.#item(this.see(body).facts), said(answer)])
  }

  /** `POST /responses/compact`: all messages of the user, then one item. */
  compact(body: object): OpenAIResponsesReply {
    const users = listIn(body, 'input').filter(({ role }) => role === 'user')
    const kept = new Set(factsIn(users))
    const others = [...this.see(body).facts].filter((fact) => !kept.has(fact))
    return response('response.compaction', [
      ...users.map((user, at): Typed => ({ ...user, type: 'message', id: `msg_u${at}`, status: 'completed' })),
      this.#item(new Set(others)),
    ])
  }

  answer(body: object, answer: string): OpenAIResponsesReply {
    this.see(body)
    return response('response', [said(answer)])
  }

  #item(facts: ReadonlySet<string>): Typed {
    const text = `opaque ${++this.#made}`
    this.#summaries.set(text, facts)
    return { type: 'compaction', id: `cmp_${this.#made}`, encrypted_content: text }
  }
}

const NONE: ReadonlySet<string> = new Set()

function seen(direct: readonly string[], summarized: ReadonlySet<string>): Seen {
  return { facts: new Set([...direct, ...summarized]), summarized, read: direct }
}

function listIn(body: object, key: string): readonly Json[] {
  const list = (body as Json)[key]
  return (typeof list === 'string' ? [{ role: 'user', content: list }] : list) as readonly Json[]
}

function reply(content: readonly Typed[], stop: string): AnthropicReply {
  const usage = { input_tokens: 10, output_tokens: 10 }
  return { id: 'msg', type: 'message', role: 'assistant', model: 'claude', content, stop_reason: stop, usage }
}

function response(object: string, output: readonly Typed[]): OpenAIResponsesReply {
  return { id: 'resp', object, status: 'completed', output, usage: { input_tokens: 10, output_tokens: 10 } }
}

function said(text: string): Typed {
  return {
    type: 'message',
    id: 'msg',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
}
