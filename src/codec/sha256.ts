// SHA-256 on every host. Node's own is several times faster than any JavaScript, but a static import of node:crypto
// would keep the package out of browsers; so Node is asked at the first hash, and a browser takes the portable one.

import { sha256 } from '@noble/hashes/sha2.js'

type Hasher = (data: string | Uint8Array) => string

let hasher: Hasher | undefined

/** Hashes bytes, or the UTF-8 bytes of a text, with SHA-256, in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  hasher ??= pickSha256(globalThis.process)
  return hasher(data)
}

/** The part of `process` that decides which implementation is taken. */
type HashHost = Readonly<{ getBuiltinModule?: (id: 'node:crypto') => Partial<NodeCrypto> | undefined }>

type NodeCrypto = {
  hash: (algorithm: string, data: string | Uint8Array, encoding: 'hex') => string
  createHash: (algorithm: string) => { update(bytes: Uint8Array): { digest(encoding: 'hex'): string } }
}

/** @internal Chooses the implementation; exported so that a test can compare them. */
export function pickSha256(host: HashHost | undefined): Hasher {
  const crypto = host?.getBuiltinModule?.('node:crypto')
  const { hash, createHash } = crypto ?? {}
  if (hash !== undefined) return (data) => hash('sha256', data, 'hex')
  if (createHash !== undefined) return (data) => createHash('sha256').update(bytesOf(data)).digest('hex')
  return portableSha256
}

function portableSha256(data: string | Uint8Array): string {
  let hex = ''
  for (const byte of sha256(bytesOf(data))) hex += byte.toString(16).padStart(2, '0')
  return hex
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data
}
