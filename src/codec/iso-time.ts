// `created_at_iso` (D37): nanoseconds since 1970 as UTC text, with all nine fraction digits. A Date ends in the year
// 275760 and an imported created_at_ns may be any integer, so beyond the usual years the calendar is computed here.

const SECOND = 1_000_000_000n
const DAY = 86_400n
const YEAR_10000 = 253_402_300_800n * SECOND

/** Writes nanoseconds since 1970 as UTC text with nine fraction digits and `Z` (D37). */
export function isoTime(ns: bigint): string {
  // Outside the years 0 to 9999 the two ways agree as far as a Date reaches; the tests compare them.
  return ns >= 0n && ns < YEAR_10000 ? usualTime(ns) : anyTime(ns)
}

function usualTime(ns: bigint): string {
  const milliseconds = ns / 1_000_000n
  const rest = Number(ns - milliseconds * 1_000_000n)
  return `${new Date(Number(milliseconds)).toISOString().slice(0, -1)}${pad(rest, 6)}Z`
}

function anyTime(ns: bigint): string {
  const seconds = floorDivide(ns, SECOND)
  const days = floorDivide(seconds, DAY)
  const { year, month, day } = civilDate(days)
  const second = Number(seconds - days * DAY)
  const clock = `${pad(Math.floor(second / 3600), 2)}:${pad(Math.floor(second / 60) % 60, 2)}:${pad(second % 60, 2)}`
  return `${formatYear(year)}-${pad(month, 2)}-${pad(day, 2)}T${clock}.${pad(ns - seconds * SECOND, 9)}Z`
}

/**
 * Gives the date of a day counted from 1970-01-01, in the Gregorian calendar carried on in both directions. Years are
 * taken to begin in March, so that the leap day is the last of its year, and are counted in eras of 400, after which the
 * calendar repeats. (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
 */
function civilDate(days: bigint): { year: bigint; month: number; day: number } {
  const fromMarch = days + 719_468n // days from 0000-03-01
  const era = floorDivide(fromMarch, 146_097n)
  const dayOfEra = Number(fromMarch - era * 146_097n)
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const leapDaysBefore = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  const dayOfYear = dayOfEra - (365 * yearOfEra + leapDaysBefore)
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return { year: era * 400n + BigInt(yearOfEra + (month <= 2 ? 1 : 0)), month, day }
}

/** Four digits for the years 0 to 9999, otherwise a sign and at least six, as ECMAScript has it. */
function formatYear(year: bigint): string {
  if (year >= 0n && year <= 9999n) return pad(year, 4)
  return year < 0n ? `-${pad(-year, 6)}` : `+${pad(year, 6)}`
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient
}

function pad(value: number | bigint, length: number): string {
  return String(value).padStart(length, '0')
}
