// Commits: a list of operations is one cycle. Without a store there is nobody to keep a key for.

import { PactError } from '../errors/index.js'
import { applyOperations, type Snapshot } from '../context/index.js'
import { StoredContext } from '../store/index.js'
import type {
  CommandOptions,
  Committed,
  CommitInput,
  EraseAnswer,
  EraseInput,
  Previewed,
  PreviewInput,
  RetainAnswer,
  RetainInput,
} from './answers.js'
import { checkInput, flagIn, operationsOf, readingOf, textIn, textOf, wholeIn } from './check.js'
import { checkBase, type Desk } from './desk.js'
import { jsonOf } from './json.js'
import { withoutChildren } from './reads.js'

/** What a commit of operations would give; nothing is kept, and no id is spent. */
export async function previewOperations(desk: Desk, input: PreviewInput): Promise<Previewed> {
  const given = checkInput(input, ['id', 'base', 'operations', 'thread'])
  operationsOf(given)
  const withThread = flagIn(given, 'thread') ?? false
  return desk.read(textOf(given, 'id'), readingOf(given), (ctx, ids) => {
    const preview = ctx.preview()
    return {
      cycle: preview.cycle,
      ids,
      diff: jsonOf(ctx.cycle === 1 ? firstDiff(preview) : ctx.diffDetailed('@t0', 'preview')),
      ...(withThread ? { thread: preview.thread() } : {}),
      receipt: preview.receipt,
    }
  })
}

/** Before the first commit there is no tree to compare with: all that would be sent is new. */
function firstDiff(preview: Snapshot): object {
  const { cycle } = preview
  const added = preview.thread().map(({ id }, index) => {
    const node = preview.node(id)!
    const place = { parent: node.parentId ?? null, is_container: node.children.length > 0 }
    return { id, cause: 'created', cycle, ...place, node: withoutChildren(node.toJSON()), thread_index: index }
  })
  const sides = { from: { lens: '@t0', cycle: 0 }, to: { lens: 'preview', cycle } }
  return { ...sides, added, removed: [], changed: [], parents: [], moves: [] }
}

/** Applies operations as one cycle; the same key again gives the same answer. */
export async function commitOperations(desk: Desk, input: CommitInput): Promise<Committed> {
  const given = checkInput(input, ['id', 'base', 'operations', 'key'])
  const operations = operationsOf(given)
  const [base, key] = [wholeIn(given, 'base', 0), textIn(given, 'key')]
  return desk.alone(textOf(given, 'id'), async (ctx): Promise<Committed> => {
    if (!(ctx instanceof StoredContext)) {
      if (key !== undefined) {
        const message = 'A key needs a store: this context is in memory, where no answer is kept.'
        throw new PactError('E_CONTENT_INVALID', message, { name: 'key' })
      }
      checkBase(ctx, base)
      const ids = applyOperations(ctx, operations)
      const { cycle, receipt } = ctx.commit()
      return { cycle, ids, receipt }
    }
    const before = key === undefined ? undefined : await ctx.answerTo(key, operations)
    if (before !== undefined) return { ...before, repeated: true }
    checkBase(ctx, base)
    const ids = applyOperations(ctx, operations)
    const { cycle, receipt } = await ctx.commit(key === undefined ? {} : { key, asked: operations })
    return { cycle, ids, receipt }
  })
}

/** Takes out what nodes say, wherever a selector finds them, for good. */
export async function eraseNodes(desk: Desk, input: EraseInput): Promise<EraseAnswer> {
  const given = checkInput(input, ['id', 'selector', 'author', 'reason'])
  const receipt = await desk.store('Erasing').erase(textOf(given, 'id'), textOf(given, 'selector'), whoIn(given))
  return jsonOf(receipt)
}

/** Thins out the past of a context: what is kept stays as it is, the rest is gone for good. */
export async function retainSnapshots(
  desk: Desk,
  input: RetainInput,
  { signal, onProgress }: CommandOptions = {},
): Promise<RetainAnswer> {
  const given = checkInput(input, ['id', 'newest', 'every', 'since', 'author', 'reason'])
  const [newest, every, since] = [wholeIn(given, 'newest', 1), wholeIn(given, 'every', 1), timeIn(given, 'since')]
  const receipt = await desk.store('retain').retain(textOf(given, 'id'), {
    ...whoIn(given),
    keep: { newest, every, since },
    signal,
    onProgress: ({ id, step, cycle, head }) => {
      // Read once, checked once.
      onProgress?.({ id, done: step === 'reading' ? cycle : head + cycle, total: 2 * head })
    },
  })
  return jsonOf(receipt) as RetainAnswer
}

function whoIn(given: Parameters<typeof textIn>[0]): Readonly<{ author?: string; reason?: string }> {
  const [author, reason] = [textIn(given, 'author'), textIn(given, 'reason')]
  return { ...(author === undefined ? {} : { author }), ...(reason === undefined ? {} : { reason }) }
}

function timeIn(given: Parameters<typeof textIn>[0], name: string): Date | undefined {
  const text = textIn(given, name)
  if (text === undefined) return undefined
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new PactError('E_CONTENT_INVALID', `${name} is a time such as 2026-05-01 or 2026-05-01T12:00:00Z.`, { name })
}
