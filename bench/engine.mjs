// Our side of every row. The build is imported by path: bench/ has its own package.json (the peers), so the name
// `pact-context` does not refer to the package around it here.

import { fileURLToPath } from 'node:url'

import { assertWork } from './harness.mjs'
import { makeText } from './turns.mjs'

const BUILD = new URL('../dist/index.js', import.meta.url)

/** The built package, or undefined where nothing is built: the peers alone can still be measured. */
export async function loadEngine() {
  try {
    return await import(BUILD.href)
  } catch (error) {
    // A build that is there and does not load is a failure of the row.
    if (!error.message.startsWith(`Cannot find module '${fileURLToPath(BUILD)}'`)) throw error
    process.stderr.write('  dist/ is not built: the peers alone are measured\n')
    return undefined
  }
}

/** One turn from its four texts: segment, pre block, core, user block, assistant block, post block. */
export function commitTurn(ctx, texts) {
  ctx.pre(texts[0])
  ctx.user(texts[1])
  ctx.assistant(texts[2])
  ctx.post(texts[3])
  return ctx.commit()
}

/** A context with `turns` committed turns; texts are made on the way, so that each one is its own string. */
export function buildContext(engine, turns) {
  const ctx = engine.createContext({ id: 'bench' })
  growContext(ctx, turns)
  assertWork(ctx.snapshot('@t0').cycle === turns, `a context of ${turns} turns is at cycle ${turns}`)
  return ctx
}

export function growContext(ctx, turns) {
  const first = ctx.cycle
  for (let turn = first; turn < first + turns; turn++) {
    commitTurn(ctx, [makeText(turn, 0), makeText(turn, 1), makeText(turn, 2), makeText(turn, 3)])
  }
}
