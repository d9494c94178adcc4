// A check of comments for words that made ours hard to read. It cannot see clarity; it only keeps old habits out.

import fs from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Comments start with their subject. */
const OPENINGS = /^(?:What|Whether|Whoever)\b/
/** `stands for` is an ordinary word, `stands` for `is` is not. */
const WORDS =
  /\b(?:whoever|nobody|manieth|anew|what is none|so many|beside|stands?(?!-in| (?:in )?for\b)|told(?! apart))\b/i

test('comments name their subject and use ordinary words', () => {
  const faults = sources().flatMap((file) =>
    commentsOf(fs.readFileSync(path.join(ROOT, file), 'utf8'))
      .filter(({ text }) => OPENINGS.test(text) || WORDS.test(text))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  )
  expect(faults).toEqual([])
})

test('the check finds an opening and a word, and leaves code alone', () => {
  const text = [
    '// What it does.',
    "const a = 'nobody' // → 1",
    '/** Read by whoever asks. */',
    '/**',
    ' * Whether it is.',
    ' * All others.',
    ' */',
    "const url = 'http://nobody'",
    '// It stands for a node.',
    '// It stands behind it.',
  ].join('\n')
  expect(commentsOf(text).filter((each) => OPENINGS.test(each.text) || WORDS.test(each.text))).toEqual([
    { line: 1, text: 'What it does.' },
    { line: 3, text: 'Read by whoever asks.' },
    { line: 5, text: 'Whether it is.' },
    { line: 10, text: 'It stands behind it.' },
  ])
})

function sources(): readonly string[] {
  return ['src', 'testing']
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => path.join(folder, file)),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
}

/** Comments line by line, without their marks. */
function commentsOf(text: string): readonly Readonly<{ line: number; text: string }>[] {
  return text.split('\n').flatMap((each, index) => {
    const found = /^\s*(?:\/\/|\/\*\*?|\*(?!\/)|\{\/\*)\s?(.*?)\s*(?:\*\/\}?)?$/.exec(each) ?? / \/\/ (.*)$/.exec(each)
    return found === null || found[1] === '' ? [] : [{ line: index + 1, text: found[1]! }]
  })
}
