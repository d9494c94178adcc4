// A conversation that has gone on since it was imported: what is new in it is added, turn by turn. Where what was imported has been
// edited since, or the file itself has, nothing is.

import { PactError, short } from '../../errors/index.js'
import { canonicalJson } from '../../codec/index.js'
import type { Context } from '../../context/index.js'
import type { JsonValue, Node } from '../../core/index.js'
import type { StoredContext } from '../../store/index.js'

/** The number of messages added. */
export async function addNew(stored: StoredContext, fresh: Context, signal?: AbortSignal): Promise<number> {
  const before = stored.cycle === 1 ? { system: [], turns: [] } : messagesOf(stored.snapshot('@t0').root)
  const now = messagesOf(fresh.snapshot('@t0').root)
  checkSame(stored.id, 'system text', before.system, now.system.slice(0, before.system.length))
  const known = before.turns.flat()
  checkSame(stored.id, 'message', known, now.turns.flat().slice(0, known.length))
  let passed = known.length
  let added = 0
  const put = (node: Node, isSystem: boolean): void => {
    const { content, header } = specOf(node)
    if (isSystem) stored.system.add(content, header)
    else stored.add(content, { ...header, zone: 'core' })
    added += 1
  }
  for (const node of now.system.slice(before.system.length)) put(node, true)
  for (const turn of now.turns) {
    const rest = turn.slice(Math.min(passed, turn.length))
    passed = Math.max(0, passed - turn.length)
    if (rest.length === 0) continue
    signal?.throwIfAborted()
    for (const node of rest) put(node, false)
    await stored.commit()
  }
  if (stored.operations().length > 0) await stored.commit()
  return added
}

type Messages = Readonly<{ system: readonly Node[]; turns: readonly (readonly Node[])[] }>

/** The messages, where imports put them: in `^sys` and in the cores of segments. */
function messagesOf({ children }: Node): Messages {
  const inRegion = (region: string): readonly Node[] =>
    children.find(({ nodeType }) => nodeType === region)?.children ?? []
  return {
    system: inRegion('^sys'),
    turns: inRegion('^seq').map((segment) => segment.children.find(({ offset }) => offset === 0)?.children ?? []),
  }
}

function checkSame(id: string, what: string, stored: readonly Node[], file: readonly Node[]): void {
  const at = stored.findIndex((node, i) => file[i] === undefined || shapeText(node) !== shapeText(file[i]))
  if (at < 0) return
  const message = `The context ${short(id)} no longer begins as the file does: ${what} ${at + 1} is another one, or is not in the file. Import it under another id.`
  throw new PactError('E_CONFLICT', message, { id, message: at })
}

/** The fields of a message, without the id and the time that its context gave it. */
function shapeText(node: Node): string {
  return canonicalJson(specOf(node))
}

type Spec = Readonly<{ content?: NonNullable<Node['content']> | null; header: Readonly<Record<string, JsonValue>> }>

function specOf({ content, ...node }: Node): Spec {
  return { ...(content === undefined ? {} : { content }), header: headerOf(node) }
}

function headerOf({ role, kind, removable, attributes, children, nodeType }: Omit<Node, 'content'>): Spec['header'] {
  return {
    ...attributes,
    ...(role === undefined ? {} : { role }),
    ...(kind === undefined ? {} : { kind }),
    ...(removable ? { removable } : {}),
    ...(nodeType === 'cont' ? { children: children.map(childOf) } : {}),
  }
}

function childOf({ content, ...node }: Node): JsonValue {
  return { ...headerOf(node), ...(content === undefined ? {} : { content }) }
}
