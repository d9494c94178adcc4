// Values of a graph as text. The serializer of the saver decides how they are written; a context keeps the result unread.

import { isUtf8 } from 'node:buffer'

import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'

/** A serialized value: the type that the serializer gave, and its bytes as text. */
export type Packed = Readonly<{ type: string; encoding: 'utf8' | 'base64'; text: string }>

export async function pack(serde: SerializerProtocol, value: unknown): Promise<Packed> {
  const [type, given] = await serde.dumpsTyped(value)
  const bytes = Buffer.from(given)
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
  return { type, encoding, text: bytes.toString(encoding) }
}

export async function unpack(serde: SerializerProtocol, { type, encoding, text }: Packed): Promise<unknown> {
  return serde.loadsTyped(type, new Uint8Array(Buffer.from(text, encoding)))
}

/** A packed value as an attribute. */
export function toAttribute({ type, encoding, text }: Packed): readonly string[] {
  return [type, encoding, text]
}

/** Reads the attribute again; undefined if it was erased. */
export function fromAttribute(value: unknown): Packed | undefined {
  if (!Array.isArray(value)) return undefined
  const [type, encoding, text] = value as readonly unknown[]
  if (typeof type !== 'string' || typeof text !== 'string') return undefined
  return { type, encoding: encoding === 'base64' ? 'base64' : 'utf8', text }
}

export function isSame(a: Packed | undefined, b: Packed | undefined): boolean {
  return a?.type === b?.type && a?.encoding === b?.encoding && a?.text === b?.text
}
