// LangChain messages as nodes: the role and the content are the node's own, so that selectors, budgets and the inspector see a conversation.
// Everything else of the message is one attribute, so that the message comes back as it was.

import { isDeepStrictEqual } from 'node:util'

import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

import type { JsonValue } from '../core/index.js'
import { isRecord } from '../errors/index.js'
import { pack, unpack } from './packed.js'

/** A message as its node has it: `rest` is the serialized message without its content. */
export type MessageNode = Readonly<{ role: string; content: JsonValue; rest: string }>

type Fields = Readonly<Record<string, unknown>>

/**
 * Messages and their nodes. A graph hands over all messages of a channel at each step, so a message that is the same object with the same fields is not
 * serialized again.
 */
export class MessageCodec {
  readonly #serde: SerializerProtocol
  readonly #known = new WeakMap<object, Readonly<{ fields: Fields; node: MessageNode }>>()

  constructor(serde: SerializerProtocol) {
    this.#serde = serde
  }

  /** The nodes of a channel; undefined if its value is not a list of LangChain messages. Such a value is kept unread. */
  async write(value: unknown): Promise<readonly MessageNode[] | undefined> {
    if (!Array.isArray(value)) return undefined
    const nodes: MessageNode[] = []
    for (const message of value as readonly unknown[]) {
      const node = this.#knownNode(message) ?? (await this.#node(message))
      if (node === undefined) return undefined
      nodes.push(node)
    }
    return nodes
  }

  async read(nodes: readonly MessageNode[]): Promise<unknown[]> {
    return Promise.all(
      nodes.map(async (node) => {
        const parsed = JSON.parse(node.rest) as Readonly<{ kwargs: object }>
        const text = JSON.stringify({ ...parsed, kwargs: { content: node.content, ...parsed.kwargs } })
        const message = await unpack(this.#serde, { type: 'json', encoding: 'utf8', text })
        this.#note(message, node)
        return message
      }),
    )
  }

  #knownNode(message: unknown): MessageNode | undefined {
    const found = isRecord(message) ? this.#known.get(message) : undefined
    return found !== undefined && hasFields(message as object, found.fields) ? found.node : undefined
  }

  async #node(message: unknown): Promise<MessageNode | undefined> {
    const { type, encoding, text } = await pack(this.#serde, message)
    const node = type === 'json' && encoding === 'utf8' ? messageNode(text) : undefined
    if (node !== undefined) this.#note(message, node)
    return node
  }

  #note(message: unknown, node: MessageNode): void {
    if (!isRecord(message)) return
    try {
      this.#known.set(message, { fields: structuredClone(fieldsOf(message)), node })
    } catch {
      // Functions cannot be compared later, so this message is serialized each time.
    }
  }
}

/** The fields of a message, without the arguments of its constructor, which became them. */
function fieldsOf(message: object): Fields {
  const { lc_kwargs: _given, ...fields } = Object.fromEntries<unknown>(Object.entries(message))
  return fields
}

/** True if the message still has these fields. One by one, this takes a third of the time of comparing both objects. */
function hasFields(message: object, fields: Fields): boolean {
  const names = Object.keys(message).filter((name) => name !== 'lc_kwargs')
  return (
    names.length === Object.keys(fields).length &&
    names.every((name) => {
      const now = (message as Fields)[name]
      return Object.is(now, fields[name]) || isDeepStrictEqual(now, fields[name])
    })
  )
}

function messageNode(text: string): MessageNode | undefined {
  const parsed: unknown = JSON.parse(text)
  if (!isRecord(parsed) || parsed['lc'] !== 1 || parsed['type'] !== 'constructor') return undefined
  const { id: path, kwargs } = parsed
  const name: unknown = Array.isArray(path) ? path.at(-1) : undefined
  if (typeof name !== 'string' || !/Message(?:Chunk)?$/.test(name) || !isRecord(kwargs)) return undefined
  const { content, ...others } = kwargs
  const role = ROLES[name.replace(/Chunk$/, '')] ?? (typeof kwargs['role'] === 'string' ? kwargs['role'] : 'user')
  // Half of a surrogate pair cannot be in a node; such a message keeps its content in the attribute.
  const isWhole =
    (typeof content === 'string' || Array.isArray(content)) && !/\\ud[89a-f]/i.test(JSON.stringify(content))
  if (!isWhole) return { role, content: '', rest: text }
  return { role, content: content as JsonValue, rest: JSON.stringify({ ...parsed, kwargs: others }) }
}

const ROLES: Readonly<Record<string, string>> = {
  HumanMessage: 'user',
  AIMessage: 'assistant',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
}

/** The id of a message, or all of a message without one. An equal name means that one message is a newer form of the other. */
export function messageName({ content, rest }: MessageNode): string {
  const { kwargs } = JSON.parse(rest) as Readonly<{ kwargs: Readonly<{ id?: unknown }> }>
  return typeof kwargs.id === 'string' ? kwargs.id : JSON.stringify([content, rest])
}
