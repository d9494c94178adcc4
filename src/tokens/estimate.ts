// Counts without a tokenizer, for any model: bytes by kind, and characters beyond ASCII weighted by script. Measured with o200k over texts and
// parts of recorded conversations: one ratio for all is off by 19 % on the average text, these by 12 %, and the sums of whole files by
// 2 to 11 %. docs/tokens.md has a table by script. Other tokenizers differ from o200k by more than that, which `calibrated` makes up for.

import { asCall, describe, invalid } from '../errors/index.js'
import { counterOf, type TextCounter } from './counter.js'
import { checkOverhead, contentOnly, OVERHEADS, type Overhead } from './overheads.js'

/** Bytes per token, by kind of character. */
export type BytesPerToken = Readonly<{
  /** ASCII letters and blanks: prose. */
  words: number
  /** Digits, punctuation, and letters that follow a digit or more than 32 letters: code, JSON, ids, base64. */
  marks: number
  /** Everything beyond ASCII: other scripts, CJK, emoji. The bytes are weighted by script. */
  wide: number
}>

const USUAL: BytesPerToken = Object.freeze({ words: 4.8, marks: 1.55, wide: 3.5 })

/** No word of a language is longer. */
const LONGEST_WORD = 32

export type EstimateOptions = Readonly<{
  /** One ratio for all bytes, of every script alike, or some of the three. */
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
    return counterOf(textEstimate(ratios, typeof bytesPerToken === 'number' ? bytesOf : weightOf), added)
  })
}

/** Estimates tokens for any model, from bytes; the default counter of a context. */
export const estimate: TextCounter = counterOf(textEstimate(USUAL, weightOf), contentOnly(OVERHEADS.anthropic))

/** Looking at every character costs less than a hash of the text. */
function textEstimate(
  ratios: BytesPerToken,
  weight: (unit: number) => number,
): ((text: string) => number) & { isQuick: true } {
  return Object.assign((text: string) => estimateText(text, ratios, weight), { isQuick: true } as const)
}

function estimateText(text: string, { words, marks, wide }: BytesPerToken, weight: (unit: number) => number): number {
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
        // Letters after a digit belong to an id, a hash or base64, not to a word. A sign of base64 continues the run; other signs end it.
        run = unit >= 48 && unit <= 57 ? LONGEST_WORD : unit === 43 || unit === 47 ? run : 0
      }
    } else {
      run = 0
      wideBytes += weight(unit)
    }
  }
  return Math.ceil(letters / words + others / marks + wideBytes / wide)
}

/** The bytes of a UTF-16 unit in UTF-8; half of a pair has two of the four. */
function bytesOf(unit: number): number {
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3
}

/** Weights by script, each up to a unit: blocks of Unicode, which never move. Tokens cover more of a script that tokenizers know well. */
const SCRIPTS: readonly (readonly [end: number, weight: number])[] = [
  [0x370, 2], // Latin with accents, in words that are mostly ASCII
  [0x400, 1.2], // Greek
  [0x530, 1], // Cyrillic
  [0xd80, 1.2], // Armenian, Hebrew, Arabic, Indic scripts
  [0xe00, 2], // Sinhala
  [0xe80, 1.2], // Thai
  [0x1000, 7], // Lao, Tibetan
  [0x10a0, 2], // Burmese
  [0x1100, 1.2], // Georgian
  [0x1200, 2.5], // Korean, in letters
  [0x1780, 7], // Ethiopic, Cherokee
  [0x1800, 2], // Khmer
  [0x1e00, 7], // Mongolian, Balinese
  [0x2c00, 3], // Latin with two accents, signs, lines of tables
  [0x2e00, 7], // Coptic, Tifinagh
  [0xa000, 2.5], // Chinese, Japanese
  [0xac00, 7], // Yi, Javanese
  [0x10000, 2.5], // Korean, halves of emoji and rare characters, full width
]

function weightOf(unit: number): number {
  for (const [end, weight] of SCRIPTS) if (unit < end) return weight
  return 0
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
