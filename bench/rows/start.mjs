// The start of `pctx`, against the start of Node itself. A store of one context is there.

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { assertWork, interleave, line, perCall, timesAtMost } from '../harness.mjs'
import { commitStored, inFolder, loadStore } from '../stores.mjs'
import { makeTurnTexts } from '../turns.mjs'

const PCTX = fileURLToPath(new URL('../../dist/bundle/pctx.js', import.meta.url))
const TURNS = 20

export const rows = [{ title: 'start of pctx', run }]

async function run({ quick }) {
  const from = await loadStore()
  if (!from) return []
  return inFolder(async (folder) => {
    const url = `sqlite:${path.join(folder, 'store.db')}`
    const store = await from.openStore(url)
    const ctx = await store.open('bench')
    for (const texts of makeTurnTexts(TURNS)) await commitStored(ctx, texts)
    await store.close()
    const start = (args) => () => perCall(1, () => assertWork(spawnSync(process.execPath, args).status === 0, 'it ran'))
    const results = await interleave(
      {
        node: start(['-e', '0']),
        ls: start([PCTX, '--store', url, 'ls']),
        show: start([PCTX, '--store', url, 'show', 'bench']),
      },
      { rounds: quick ? 7 : 21 },
    )
    const compare = (row, ours, goal) =>
      line({ row, peer: 'node -e 0', theirs: results.node, ours, unit: 'ns', goal: timesAtMost(goal) })
    return [compare('pctx ls', results.ls, 2), compare('pctx show', results.show, 3)]
  })
}
