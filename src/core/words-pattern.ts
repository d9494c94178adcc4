// Plain words as a pattern: case does not matter, and any white space matches any other. The search and the page that marks what it
// found share it.

/** Matches the first place that has the words; `flags` adds flags, such as `g`. */
export function wordsPattern(words: string, flags: string = ''): RegExp {
  const parts = words.trim().split(/\s+/)
  return new RegExp(parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), `iu${flags}`)
}
