// Characters as error messages show them.

/** A character, or its number (`U+00A0`) if it shows nothing or would move the cursor. */
export function visible(char: string): string {
  return isHidden(char) ? `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` : char
}

/** Invisible characters, and those that move the cursor: blanks except the space, controls, lone surrogates. */
export function isHidden(char: string): boolean {
  const code = char.codePointAt(0)!
  return HIDDEN.some(([from, to]) => code >= from && code <= to)
}

// Ranges, because properties in a pattern follow the host's Unicode.
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
]
