// Shedding inside the open turn (D61): the results that the next commit would shed are shed now, by an edit, so that they stay shed and the
// beginning of the requests changes once.

import type { ShedNode } from '../core/index.js'
import { shedEntry, type Commit } from '../commit/index.js'
import { promptOf, type RecordedRendering } from '../attempts/index.js'
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
  const { open } = editor
  return shedNow(editor, open.tryCommit(open.mint.provisional()).shed)
}

/**
 * The preview of a context with a policy that sheds, after shedding. The request that is made of it counts as a whole for the limit
 * of all tokens.
 */
export function trimmedPreview(parts: Trimming, rendering: RecordedRendering | undefined): View {
  const { editor } = parts
  const { open } = editor
  const preview = (extra = 0): Commit => open.tryCommit(open.mint.provisional(), extra)
  const first = preview()
  const view = View.ofPreview(first.draft, first.receipt)
  const extra = besideNodes(parts, view, rendering)
  const { shed } = extra > 0 ? preview(extra) : first
  if (shedNow(editor, shed).length === 0) return view
  const { draft, receipt } = preview()
  return View.ofPreview(draft, receipt)
}

/** The tokens of a request that are in no node. */
function besideNodes({ options, edition }: Trimming, view: View, rendering: RecordedRendering | undefined): number {
  if (rendering === undefined || typeof options.prune?.maxTokens !== 'number') return 0
  const { renderer, options: given } = rendering
  const chunks = renderer.bytesOf(view, given, promptOf(rendering))
  const request = edition.tokens.ofRequest(view, chunks, renderer.name, promptOf(rendering))
  return request - edition.tokens.of(view).total
}

function shedNow(editor: Editor, results: Commit['shed']): readonly ShedNode[] {
  if (results.length === 0) return NONE
  const { touched } = editor.apply({ op: 'shed', results })
  return Object.freeze(eachOf(touched).map((node) => shedEntry(recordOf(node))))
}

const NONE: readonly ShedNode[] = Object.freeze([])
