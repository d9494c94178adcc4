// Canonical JSON spread over lines, for diffs that compare lines: the form of Python's json.dumps with indent=2 and sort_keys. It is made
// from the canonical text, so numbers, keys and escapes have their one writer in the codec (D33).

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

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
    switch (canonical.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(canonical, i)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (isClosing(canonical.charCodeAt(i + 1))) {
          i++
          break
        }
        margin += '  '
        flush(i + 1, margin)
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        margin = margin.slice(0, -2)
        flush(i, margin)
        break
      case COMMA:
        flush(i + 1, margin)
        break
      case COLON:
        flush(i + 1, ' ')
        break
      default:
    }
  }
  flush(canonical.length, '\n')
  return text.length <= maxLength ? text : undefined
}

function isClosing(unit: number): boolean {
  return unit === CLOSE_ARRAY || unit === CLOSE_OBJECT
}

/** The position of the closing quote of the string at `start`. */
function endOfString(canonical: string, start: number): number {
  let i = start + 1
  for (; canonical.charCodeAt(i) !== QUOTE; i++) {
    if (canonical.charCodeAt(i) === BACKSLASH) i++
  }
  return i
}
