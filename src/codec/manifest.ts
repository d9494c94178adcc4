// A context at one cycle as a checkpoint has it, but that the children of `^seq` lie in pages: what is left is small, and
// says which page is on top.

import type { Manifest } from '../core/index.js'
import { changedText, readChanged } from './checkpoint.js'
import { decodeContext, encodeContext } from './context-record.js'
import { linkText, readLink } from './pages.js'

export function encodeManifest(manifest: Manifest): Uint8Array {
  return encodeContext(manifest, 'paged', ({ seq, log }) => {
    return { seq: seq && linkText(seq), log: log === undefined ? 'true' : changedText(log) }
  })
}

export function decodeManifest(bytes: Uint8Array): Manifest {
  return decodeContext(bytes, 'paged', ['log', 'seq'], (common, { log, seq }) => ({
    ...common,
    seq: seq === undefined ? undefined : readLink(seq, 'paged.seq'),
    log: log === true ? undefined : readChanged(log, 'paged.log', common.cycle),
  }))
}
