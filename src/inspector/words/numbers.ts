// Numbers and times as the page shows them, equal on every machine: no locale is used.

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
}

export function plural(value: number, word: string, many = `${word}s`): string {
  return `${count(value)} ${value === 1 ? word : many}`
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A count in at most 7 characters: from a million on in thousands or millions. */
export function short(value: number): string {
  if (value < 1_000_000) return count(value)
  return value < 10_000_000 ? `${count(value / 1000)}k` : `${count(value / 1_000_000)}M`
}

/** A signed difference; empty for zero. */
export function signed(value: number): string {
  return value === 0 ? '' : `${value > 0 ? '+' : '−'}${short(Math.abs(value))}`
}

export function percent(share: number): string {
  // Round so that only all is 100 % and only none is 0 %.
  const whole = Math.round(share * 100)
  return `${share < 1 && whole === 100 ? 99 : share > 0 && whole === 0 ? 1 : whole} %`
}

/** The age of an ISO timestamp, in the largest unit that fits. */
export function ago(iso: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(`${iso.slice(0, 19)}Z`)) / 1000
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const
  if (passed >= 30 * 86_400) return iso.slice(0, 10)
  const [unit, length] = units.find(([, each]) => passed >= each) ?? []
  return unit === undefined ? 'just now' : `${Math.floor(passed / length)} ${unit} ago`
}

/** The UTC time of day of an ISO timestamp. */
export function timeOfDay(iso: string): string {
  return iso.slice(11, 19)
}

export function seconds(from: string, to: string): string {
  return `${(Math.max(0, Date.parse(to.slice(0, 23) + 'Z') - Date.parse(from.slice(0, 23) + 'Z')) / 1000).toFixed(1)} s`
}

/** Shortens timestamps such as `2025-01-01T00:00:00.001000000Z` in a sentence. */
export function shortTimes(sentence: string): string {
  return sentence.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1 $2 UTC')
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
