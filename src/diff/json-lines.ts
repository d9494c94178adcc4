// Canonical JSON spread over lines, for diffs that compare lines: the form of Python's json.dumps with indent=2 and sort_keys. It is made
// from the canonical text, so numbers, keys and escapes have their one writer in the codec (D33).

/** Lays canonical JSON out with one value per line, the last one ended too; nothing where it outgrows `maxLength`. */
export function indentJson(canonical: string, maxLength: number): string | undefined {
  let text = ''
  let margin = '\n'
  let from = 0
  const flush = (end: number, behind: string): void => {
    text += canonical.slice(from, end) + behind
    from = end
  }
  for (let i = 0; i < canonical.length && text.length <= maxLength; i++) {
    switch (canonical[i]) {
      case '"':
        i = endOfString(canonical, i)
        break
      case '[':
      case '{':
        if (canonical[i + 1] === ']' || canonical[i + 1] === '}') {
          i++
          break
        }
        margin += '  '
        flush(i + 1, margin)
        break
      case ']':
      case '}':
        margin = margin.slice(0, -2)
        flush(i, margin)
        break
      case ',':
        flush(i + 1, margin)
        break
      case ':':
        flush(i + 1, ' ')
        break
      default:
    }
  }
  flush(canonical.length, '\n')
  return text.length <= maxLength ? text : undefined
}

/** The position of the closing quote of the string at `start`. */
function endOfString(canonical: string, start: number): number {
  let i = start + 1
  for (; canonical[i] !== '"'; i++) {
    if (canonical[i] === '\\') i++
  }
  return i
}
