/** A line as it is, neither cut nor joined with the next, but with everything spelled out that could steer a terminal. */
export function spelled(line: string): string {
  return line.replaceAll('\t', '    ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    const digits = code.toString(16)
    if (code > 0xffff) return `\\u{${digits}}`
    return code > 0xff ? `\\u${digits.padStart(4, '0')}` : `\\x${digits.padStart(2, '0')}`
  })
}
