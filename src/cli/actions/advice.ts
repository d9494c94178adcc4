// Notes on selectors that found nothing.

import { selectNodes, type ContextPool } from '../../commands/index.js'
import type { Input } from '../../api/index.js'
import type { Call } from '../spec.js'

type Asked = Pick<Input<'select'>, 'id' | 'selector' | 'at'>

/** Says on stderr why a selector finds no node in a tree, if its text may mean something else than intended. */
export async function noteAdvice(call: Call, pool: ContextPool, asked: Asked): Promise<void> {
  note(call, await selectNodes(pool, { ...asked, options: { limit: 1 } }))
}

export function note({ terminal }: Call, found: object): void {
  const { advice } = found as { advice?: string }
  if (advice !== undefined) terminal.note('warn', `Nothing matches. ${advice}`)
}
