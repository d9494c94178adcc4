// SHA-256 on every host. Node's own is several times faster than any JavaScript, but a static import of node:crypto
// would keep the package out of browsers; so Node is asked at the first hash, and a browser takes the portable one.

import { sha256 } from '@noble/hashes/sha2.js'

type Hasher = (text: string) => string

let hasher: Hasher | undefined

/** Hashes the UTF-8 bytes of a text with SHA-256, in lower-case hex. */
export function sha256Hex(text: string): string {
  hasher ??= pickSha256(globalThis.process)
  return hasher(text)
}

/** The part of `process` that decides which implementation is taken. */
type HashHost = Readonly<{ getBuiltinModule?: (id: 'node:crypto') => Partial<NodeCrypto> | undefined }>

type NodeCrypto = {
  hash: (algorithm: string, text: string, encoding: 'hex') => string
  createHash: (algorithm: string) => { update(text: string, encoding: 'utf8'): { digest(encoding: 'hex'): string } }
}

/** @internal Chooses the implementation; exported so that a test can compare them. */
export function pickSha256(host: HashHost | undefined): Hasher {
  const crypto = host?.getBuiltinModule?.('node:crypto')
  const { hash, createHash } = crypto ?? {}
  if (hash !== undefined) return (text) => hash('sha256', text, 'hex')
  if (createHash !== undefined) return (text) => createHash('sha256').update(text, 'utf8').digest('hex')
  return portableSha256
}

function portableSha256(text: string): string {
  let hex = ''
  for (const byte of sha256(new TextEncoder().encode(text))) hex += byte.toString(16).padStart(2, '0')
  return hex
}
