// `created_at_iso` (D37): nanoseconds since 1970 as UTC text, with all nine fraction digits. A Date ends in the year
// 275760 and an imported created_at_ns may be any integer, so beyond the usual years the calendar is computed here. Other
// spellings of a time are read, to compare them with created_at_ns.

const SECOND = 1_000_000_000n
const DAY = 86_400n
const YEAR_10000 = 253_402_300_800n * SECOND

/** Writes nanoseconds since 1970 as UTC text with nine fraction digits and `Z` (D37). */
export function isoTime(ns: bigint): string {
  // Outside the years 0 to 9999 the two ways agree as far as a Date reaches; the tests compare them.
  return ns >= 0n && ns < YEAR_10000 ? usualTime(ns) : anyTime(ns)
}

/** A time as a text gives it: the first nanosecond of it, and how many it leaves open. */
export type ReadTime = Readonly<{ ns: bigint; span: bigint }>

const ISO =
  /^(?<year>\d{4}|[+-]\d{6,12})-(?<month>\d\d)-(?<day>\d\d)(?:[Tt ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9})\d*)?)?(?:[Zz]|(?<ahead>[+-])(?<hours>\d\d):?(?<minutes>\d\d))?)?$/

/** Reads a time of ISO 8601, to the day or finer and in any zone, UTC where none is named; undefined for anything else. */
export function readIsoTime(text: string): ReadTime | undefined {
  const found = ISO.exec(text)?.groups
  if (found === undefined) return undefined
  const part = (name: string): number => Number(found[name] ?? 0)
  const { year = '', fraction = '', ahead } = found
  const days = dayOf(BigInt(year), part('month'), part('day'))
  const isTime = part('hour') <= 23 && part('minute') <= 59 && part('second') <= 60 && part('minutes') <= 59
  if (days === undefined || !isTime) return undefined
  const zone = (part('hours') * 60 + part('minutes')) * (ahead === '-' ? -1 : 1)
  const seconds = days * DAY + BigInt((part('hour') * 60 + part('minute') - zone) * 60 + part('second'))
  const ns = seconds * SECOND + BigInt(fraction.padEnd(9, '0'))
  return { ns, span: spanOf(found) }
}

/** True if nanoseconds since 1970 are within the span that a text names. */
export function isWithin(ns: bigint, { ns: from, span }: ReadTime): boolean {
  return ns >= from && ns < from + span
}

function spanOf({ hour, second, fraction }: Readonly<Record<string, string | undefined>>): bigint {
  if (fraction !== undefined) return 10n ** BigInt(9 - fraction.length)
  if (second !== undefined) return SECOND
  return hour === undefined ? DAY * SECOND : 60n * SECOND
}

/** Counts a day from 1970-01-01; undefined where the calendar has none such. */
function dayOf(year: bigint, month: number, day: number): bigint | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  // The inverse of civilDate: a year that begins in March, so that the leap day is its last.
  const fromMarch = month <= 2 ? year - 1n : year
  const era = floorDivide(fromMarch, 400n)
  const yearOfEra = Number(fromMarch - era * 400n)
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  const days = era * 146_097n + BigInt(dayOfEra) - 719_468n
  const back = civilDate(days)
  return back.month === month && back.day === day ? days : undefined
}

function usualTime(ns: bigint): string {
  // The last nine digits are the fraction. The rest are seconds, which fit a number.
  const digits = pad(ns, 10)
  const second = digits.slice(0, -9)
  if (second !== lastSecond.digits) {
    lastSecond = { digits: second, text: new Date(Number(second) * 1000).toISOString().slice(0, 19) }
  }
  return `${lastSecond.text}.${digits.slice(-9)}Z`
}

/** Nodes that are read or written one after the other are mostly of one second. */
let lastSecond = { digits: '0', text: '1970-01-01T00:00:00' }

function anyTime(ns: bigint): string {
  const seconds = floorDivide(ns, SECOND)
  const days = floorDivide(seconds, DAY)
  const { year, month, day } = civilDate(days)
  const clock = new Date(Number(seconds - days * DAY) * 1000).toISOString().slice(11, 19)
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
