// Everything that a program can read of a context, as one text: to look for what must not be there.

import { inspect } from 'node:util'

import { canonicalJson, exportChunks, type Attempt, type Lens, type Snapshot } from 'pact-context'

import type { AnyContext } from '../../src/context/index.js'
import { sentRecordsOf } from './attempts.js'
import { readExport, refusal, textOf, walkExport } from './context.js'

/** Everything of a context that can be read, as one text. */
export function allTexts(
  ctx: AnyContext,
  snapshots: readonly Snapshot[] = [],
  attempts: readonly Attempt[] = [],
): string {
  const lenses: Lens[] = [...ctx.snapshots().map(({ cycle }): Lens => `@c${cycle}`), 'working', 'preview']
  const ids = lenses.flatMap((lens) => walkExport(readExport(ctx.export(lens)).root).map(({ id }) => id))
  const kept = [...snapshots, ...attempts.map(({ snapshot }) => snapshot)]
  return [
    ...lenses.flatMap((lens) => [
      textOf(ctx.export(lens)),
      [...exportChunks(ctx, lens)].join(''),
      textOf(ctx.threadBytes(lens)),
      JSON.stringify(ctx.thread(lens)),
      textOf(ctx.referenceBytes(lens)),
      JSON.stringify(ctx.snapshot(lens)),
      inspect(ctx.snapshot(lens), { depth: 9 }),
      ...lenses.map((other) => JSON.stringify(ctx.diffDetailed(lens, other))),
    ]),
    ...new Set(
      ids.map((id) => JSON.stringify([answerTo(() => ctx.life(id)), answerTo(() => ctx.explain(id)), ctx.node(id)])),
    ),
    JSON.stringify(answerTo(() => ctx.rangeDiffLatest('@history *', CONTENT))),
    JSON.stringify(answerTo(() => ctx.select('@* *'))),
    JSON.stringify(answerTo(() => ctx.nodes('@* *'))),
    JSON.stringify(ctx.past),
    canonicalJson([ctx.attempts(), sentRecordsOf(ctx)]),
    ...ctx.attempts().map(({ attempt_id: id }) => sentBy(ctx, id)),
    JSON.stringify(ctx.operations()),
    JSON.stringify(ctx.warnings),
    JSON.stringify(ctx),
    String(ctx),
    inspect(ctx, { depth: 9 }),
    ...attempts.map((each) => JSON.stringify(each) + inspect(each, { depth: 9 }) + String(each)),
    ...kept.map((each) => textOf(each.export()) + textOf(each.threadBytes()) + JSON.stringify(each) + String(each)),
    ...ERRORS.map((act) =>
      inspect(
        refusal(() => act(ctx)),
        { depth: 9, showHidden: true },
      ),
    ),
  ].join('\n')
}

const CONTENT = { includeContent: true, contentMode: 'unified' } as object

/** The request of an attempt, as far as it can be read again. */
function sentBy(ctx: AnyContext, id: string): string {
  const lens = id as Lens
  const reads = [
    () => textOf(ctx.requestOf(id)),
    () => textOf(ctx.export(lens)),
    () => ctx.diffDetailed(lens, 'working'),
  ]
  return JSON.stringify(reads.map(answerTo))
}

export function answerTo(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}

const ERRORS: readonly ((ctx: AnyContext) => unknown)[] = [
  (ctx) => ctx.replace('+pii', { removable: true, ttl: -5 }),
  (ctx) => ctx.move('+pii', '(d99, end)'),
  (ctx) => ctx.insert({ content: 'x', children: [] }, { parent: ctx.select('+pii')[0]! }),
  (ctx) => ctx.system.delete('+pii +none'),
  (ctx) => ctx.thread('@c999'),
]
