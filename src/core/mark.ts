// A mark names a context at a moment, for a watcher that comes back: the context, its number of erasures, and its newest cycle. A cycle
// alone does not distinguish a context from another one that was made under its name, nor does it show erasures in between.

export type Mark = Readonly<{
  cycle: number
  epoch: number
  /** See `contextName`; empty where it was gone. */
  context: string
}>

/** A mark fits into an HTTP header: a cycle, an epoch, and the name of the context, in plain characters. */
const MARK = /^(\d{1,15})\.(\d{1,15})\.([\w.!~*'()%-]*)$/

/** The place from which a watcher continues: a cycle, or a mark. */
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

/** The known parts of such a place: for a cycle alone, only the cycle. */
export function markFrom(from: WatchedFrom): Partial<Mark> & Pick<Mark, 'cycle'> {
  return typeof from === 'number' ? { cycle: from } : parseMark(from)!
}

/** A context as marks name it, which is only ever compared. */
export function contextName(ctx: number | string): string {
  return encodeURIComponent(ctx)
}
