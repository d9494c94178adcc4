// Base64 of either alphabet to bytes, as a string of one character for each byte.

export function decodeBase64(data: string): string {
  const [digits] = /^[\w+/-]*/.exec(data)!
  // One digit alone is no byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return atob(whole.replaceAll('-', '+').replaceAll('_', '/'))
}
