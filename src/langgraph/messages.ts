// LangChain messages as nodes: the role and the content are the node's own, so that selectors, budgets and the inspector see a conversation.
// Everything else of the message is one attribute, so that the message comes back as it was.

import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

import type { JsonValue } from '../core/index.js'
import { isRecord } from '../errors/index.js'
import { pack, unpack } from './packed.js'

/** A message as its node has it: `rest` is the serialized message without its content. */
export type MessageNode = Readonly<{ role: string; content: JsonValue; rest: string }>

/** The messages of a channel; undefined if its value is not a list of LangChain messages. Such a value is kept unread. */
export async function messageNodes(
  serde: SerializerProtocol,
  value: unknown,
): Promise<readonly MessageNode[] | undefined> {
  if (!Array.isArray(value)) return undefined
  const nodes: MessageNode[] = []
  for (const each of value as readonly unknown[]) {
    const { type, encoding, text } = await pack(serde, each)
    const node = type === 'json' && encoding === 'utf8' ? messageNode(text) : undefined
    if (node === undefined) return undefined
    nodes.push(node)
  }
  return nodes
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

export async function readMessages(serde: SerializerProtocol, nodes: readonly MessageNode[]): Promise<unknown[]> {
  return Promise.all(
    nodes.map(({ content, rest }) => {
      const parsed = JSON.parse(rest) as Readonly<{ kwargs: object }>
      const text = JSON.stringify({ ...parsed, kwargs: { content, ...parsed.kwargs } })
      return unpack(serde, { type: 'json', encoding: 'utf8', text })
    }),
  )
}

/** The id of a message, or all of a message without one. An equal name means that one message is a newer form of the other. */
export function messageName({ content, rest }: MessageNode): string {
  const { kwargs } = JSON.parse(rest) as Readonly<{ kwargs: Readonly<{ id?: unknown }> }>
  return typeof kwargs.id === 'string' ? kwargs.id : JSON.stringify([content, rest])
}
