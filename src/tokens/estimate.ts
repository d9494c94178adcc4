// Counts without a tokenizer, for any model: bytes by kind. Measured with o200k over 6,700 texts and parts of recorded
// conversations (4.3 MB): one ratio for all is off by 19 % on the average text, these three by 11 %, and the sums of whole
// files by 1 to 10 %. Other tokenizers differ from o200k by more than that, which `calibrated` makes up for.

import { asCall, describe, invalid } from '../errors/index.js'
import { counterOf, type TextCounter } from './counter.js'
import { checkOverhead, contentOnly, OVERHEADS, type Overhead } from './overheads.js'

/** Bytes per token, by kind of character. */
export type BytesPerToken = Readonly<{
  /** ASCII letters and blanks: prose. */
  words: number
  /** Digits, punctuation, and letters in runs that are longer than words: code, JSON, ids, base64. */
  marks: number
  /** Everything beyond ASCII: other scripts, CJK, emoji. */
  wide: number
}>

const USUAL: BytesPerToken = Object.freeze({ words: 4.8, marks: 1.55, wide: 3.5 })

/** No word of a language is longer. */
const LONGEST_WORD = 32

export type EstimateOptions = Readonly<{
  /** One ratio for all bytes, or some of the three. */
  bytesPerToken?: number | Partial<BytesPerToken> | undefined
  /** The additions to the text; by default nothing for a message, and media as Anthropic counts them. */
  overhead?: Overhead | undefined
}>

/** Makes an estimate with other ratios. */
export function createEstimate(options: EstimateOptions = {}): TextCounter {
  return asCall(createEstimate, () => {
    const { bytesPerToken, overhead } = options ?? {}
    const ratios = checkRatios(bytesPerToken)
    const added = overhead === undefined ? contentOnly(OVERHEADS.anthropic) : checkOverhead(overhead)
    return counterOf(textEstimate(ratios), added)
  })
}

/** Estimates tokens for any model, from bytes; the default counter of a context. */
export const estimate: TextCounter = counterOf(textEstimate(USUAL), contentOnly(OVERHEADS.anthropic))

/** Looking at every character costs less than a hash of the text. */
function textEstimate(ratios: BytesPerToken): ((text: string) => number) & { isQuick: true } {
  return Object.assign((text: string) => estimateText(text, ratios), { isQuick: true } as const)
}

function estimateText(text: string, { words, marks, wide }: BytesPerToken): number {
  let letters = 0
  let others = 0
  let wideBytes = 0
  let run = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if ((unit | 32) >= 97 && (unit | 32) <= 122) {
      if (++run <= LONGEST_WORD) letters++
      else others++
    } else if (unit < 0x80) {
      if (unit === 32 || (unit >= 9 && unit <= 13)) {
        letters++
        run = 0
      } else {
        others++
        // A digit, or a sign of base64, continues the run; other signs end it.
        if (!isInRun(unit)) run = 0
      }
    } else {
      run = 0
      // Half of a pair has two of its four bytes.
      wideBytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3
    }
  }
  return Math.ceil(letters / words + others / marks + wideBytes / wide)
}

function isInRun(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || unit === 43 || unit === 47
}

function checkRatios(given: unknown): BytesPerToken {
  if (given === undefined) return USUAL
  if (typeof given === 'number') return checkRatios({ words: given, marks: given, wide: given })
  if (typeof given !== 'object' || given === null) {
    throw invalid(
      'bytesPerToken',
      `bytesPerToken is a number or an object such as { words: 4.8 }, not ${describe(given)}.`,
    )
  }
  const ratios: Record<string, number> = { ...USUAL }
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!Object.hasOwn(USUAL, name))
      throw invalid('bytesPerToken', `bytesPerToken has words, marks and wide, not ${describe(name)}.`)
    if (value === undefined) continue
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value)) {
      throw invalid('bytesPerToken', `bytesPerToken is a number above 0, not ${describe(value)}.`)
    }
    ratios[name] = value
  }
  return Object.freeze(ratios) as BytesPerToken
}
