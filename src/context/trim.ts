// Cuts inside the open turn (D61, N150): a request that passes a token limit sheds and prunes down to the target at once, by edits that stay until
// the commit. So the beginning of the requests changes only when the limit is passed.

import type { CutNode, ShedNode } from '../core/index.js'
import { shedEntry, type Commit } from '../commit/index.js'
import { promptOf, type RecordedRendering } from '../attempts/index.js'
import { withoutMarks } from '../reports/index.js'
import { recordOf, View } from '../timeline/index.js'
import type { Edition } from './edition.js'
import { eachOf, type Editor } from './editor.js'
import type { AnyOptions } from './options.js'

export type Trimming = Readonly<{
  options: AnyOptions
  editor: Editor
  edition: Pick<Edition, 'tokens'>
}>

/** Sheds what a token limit asks for; gives the shed results. */
export function trim({ options, editor }: Pick<Trimming, 'options' | 'editor'>): readonly ShedNode[] {
  if (options.prune?.results === undefined) return NONE
  return shedNow(editor, preview(editor).shed)
}

/**
 * The preview of a context with a token limit, after what the limit takes was taken by edits. The request that is made of it counts as a whole
 * for the limit of all tokens.
 */
export function trimmedPreview(parts: Trimming, rendering: RecordedRendering | undefined): View {
  const { editor } = parts
  const first = preview(editor)
  const view = View.ofPreview(first.draft, first.receipt)
  const extra = besideNodes(parts, view, rendering)
  const commit = extra > 0 ? preview(editor, extra) : first
  if (commit.shed.length === 0 && newlyCut(editor, commit).length === 0) return view
  editor.open.batch(() => {
    shedNow(editor, commit.shed)
    // Measured again: the nodes with the lines have their ids now.
    const nodes = newlyCut(editor, preview(editor, extra))
    if (nodes.length > 0) editor.apply({ op: 'prune', nodes })
  })
  const { draft, receipt } = preview(editor)
  return View.ofPreview(draft, receipt)
}

function preview({ open }: Editor, extra = 0): Commit {
  return open.tryCommit(open.mint.provisional(), extra)
}

/** The nodes that pruning takes and that no request of this turn has left out yet. */
function newlyCut({ open }: Editor, { receipt }: Commit): readonly CutNode[] {
  const old = new Set(open.log.cut.map(({ id }) => id))
  return receipt.removed.filter(({ id }) => !old.has(id)).map(({ id, rule }) => ({ id, rule }))
}

/** The tokens of a request that are in no node. */
function besideNodes({ options, edition }: Trimming, view: View, rendering: RecordedRendering | undefined): number {
  if (rendering === undefined || typeof options.prune?.maxTokens !== 'number') return 0
  const { renderer, options: given } = rendering
  const chunks = renderer.bytesOf(view, withoutMarks(given), promptOf(rendering))
  const request = edition.tokens.ofRequest(view, chunks, renderer.name, promptOf(rendering))
  return request - edition.tokens.of(view).total
}

function shedNow(editor: Editor, results: Commit['shed']): readonly ShedNode[] {
  if (results.length === 0) return NONE
  const { touched } = editor.apply({ op: 'shed', results })
  return Object.freeze(eachOf(touched).map((node) => shedEntry(recordOf(node))))
}

const NONE: readonly ShedNode[] = Object.freeze([])
