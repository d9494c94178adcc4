// A mark names a context at a moment, for whoever comes back: which context it is, how often something was erased from it by then, and its newest
// cycle. A cycle alone does not tell a context from another one that was made under its name, nor what was erased while nobody listened.

export type Mark = Readonly<{
  cycle: number
  epoch: number
  /** See `contextName`; empty where it was gone. */
  context: string
}>

/** It may stand in a header of HTTP: a cycle, an epoch, and what contexts are known by, in plain signs. */
const MARK = /^(\d{1,15})\.(\d{1,15})\.([\w.!~*'()%-]*)$/

/** How far somebody has come: a cycle, or a mark. */
export type WatchedFrom = number | string

export function formatMark({ cycle, epoch, context }: Mark): string {
  return `${cycle}.${epoch}.${context}`
}

export function parseMark(text: string): Mark | undefined {
  const [, cycle, epoch, context] = MARK.exec(text) ?? []
  return context === undefined ? undefined : { cycle: Number(cycle), epoch: Number(epoch), context }
}

/** As it comes from outside: the digits of a cycle, or a mark. */
export function parseFrom(text: string): WatchedFrom | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return parseMark(text) === undefined ? undefined : text
}

/** What is known of somebody who has come so far: of one who names a cycle alone, nothing but that. */
export function markFrom(from: WatchedFrom): Partial<Mark> & Pick<Mark, 'cycle'> {
  return typeof from === 'number' ? { cycle: from } : parseMark(from)!
}

/** A context as marks name it, which is only ever compared. */
export function contextName(ctx: number | string): string {
  return encodeURIComponent(ctx)
}
