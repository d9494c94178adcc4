// A file of a later 1.x version: its snapshot keeps the version of the file, and the snapshots that the engine adds have
// the engine's own (D1), in memory, in a fork and in a store that was opened again.

import { importSnapshot } from 'pact-context'
import { expect, test } from 'vitest'

import { reopened } from '../support/reopened.js'

const FILE = { spec_version: 'PACT/1.9.3', cycle: 4, vendor: 'acme', root: { children: [] } }

test('an imported version stays with its snapshot (D1)', async () => {
  const ctx = importSnapshot(FILE)
  const imported = ctx.export('@c4')
  expect(versionIn(imported)).toBe('PACT/1.9.3')
  ctx.user('Hello')
  ctx.commit()
  const stored = await reopened(ctx)
  const contexts = [ctx, ctx.fork('@t0'), ctx.fork('@c4'), stored, await stored.fork('@t0', { id: 'fork' })]
  for (const each of contexts) {
    expect(each.export('@c4')).toEqual(imported)
    expect(versionIn(each.export('working'))).toBe('PACT/1.0.0')
    if (each.snapshots().length > 1) expect(versionIn(each.export('@c5'))).toBe('PACT/1.0.0')
  }
})

function versionIn(bytes: Uint8Array): unknown {
  return (JSON.parse(new TextDecoder().decode(bytes)) as { spec_version: unknown }).spec_version
}
