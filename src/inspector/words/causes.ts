// Causes of a change: a word, a sign and a colour for each.

export type Mark = '' | '+' | '-' | '~'

const WORDS: Readonly<Record<string, string>> = {
  created: 'new',
  sealed: 'sealed',
  aged: 'aged',
  expired: 'expired',
  pruned: 'pruned',
  edited: 'edited',
  moved: 'moved',
  superseded: 'replaced',
  redacted: 'redacted',
  shed: 'shed',
  compacted: 'compacted',
  expanded: 'expanded',
  demoted: 'demoted',
  cadence: 'returned',
  dropped: 'dropped',
  imported: 'imported',
  selection: 'no longer selected',
  deleted: 'deleted',
  forgotten: 'forgotten',
}

/** In the order used by the answer. */
export const TOLD_CAUSES: readonly string[] = [
  'created',
  'cadence',
  'superseded',
  'redacted',
  'shed',
  'compacted',
  'expanded',
  'edited',
  'moved',
  'demoted',
  'expired',
  'pruned',
  'dropped',
  'deleted',
  'forgotten',
]

export function causeWord(cause: string): string {
  return WORDS[cause] ?? cause
}

export function markClass(mark: Mark): '' | 'add' | 'del' | 'chg' {
  return mark === '+' ? 'add' : mark === '-' ? 'del' : mark === '~' ? 'chg' : ''
}

/** The drawn sign: a minus, not a hyphen. */
export function markSign(mark: Mark): string {
  return mark === '-' ? '−' : mark
}

export function markName(mark: Mark): string {
  return mark === '+' ? 'new' : mark === '-' ? 'left' : mark === '~' ? 'changed' : ''
}
