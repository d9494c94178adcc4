// Tokenizers of this kind cut a text into words, and then look for tokens in each in a time that grows with the square of its
// length: 50,000 letters without a blank take seconds. So long runs are counted in parts. Each cut may add a token; texts
// without such runs are counted exactly.

/** The length at which a run without a break is cut. */
const PART = 256

/** Letters, or signs, or blanks: one word for a tokenizer. */
const ONE_RUN = /^(?:[\p{L}\p{M}]+|[^\s\p{L}\p{N}]+|\s+)$/u

/** Counts a text in as few pieces as its long runs allow. */
export function countPieces(text: string, count: (piece: string) => number): number {
  let sum = 0
  let from = 0
  // A run of twice the length fills one part at least, wherever it begins.
  for (let at = 0; at + PART <= text.length; at += PART) {
    const start = boundary(text, at)
    const end = boundary(text, at + PART)
    if (!ONE_RUN.test(text.slice(start, end))) continue
    if (start > from) sum += count(text.slice(from, start))
    sum += count(text.slice(start, end))
    from = end
  }
  return from < text.length ? sum + count(from === 0 ? text : text.slice(from)) : sum
}

/** A place to cut: not between the halves of a pair. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
