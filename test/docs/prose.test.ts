// A check of comments and pages for words that made ours hard to read. It cannot see clarity; it only keeps old habits out.

import fs from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Comments start with their subject. */
const OPENINGS = /^(?:What|Whether|Whoever|How|Which)\b/
/** `stands for` is an ordinary phrase; the same verb for `is` is not. */
const WORDS =
  /\b(?:whoever|nobody|manieth|anew|what is none|so many|beside|stands?(?!-in| (?:in )?for\b| in place of\b)|told(?! apart))\b/i

test('comments name their subject and use ordinary words', () => {
  const faults = sources().flatMap((file) =>
    commentsOf(fs.readFileSync(path.join(ROOT, file), 'utf8'))
      .filter(({ text }) => OPENINGS.test(text) || WORDS.test(text))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  )
  expect(faults).toEqual([])
})

test('sentences in strings of src/ use ordinary words: error messages, repairs, texts of the page', () => {
  const faults = sources()
    .filter((file) => file.startsWith('src') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      sentencesOf(fs.readFileSync(path.join(ROOT, file), 'utf8'))
        .filter((text) => WORDS.test(text))
        .map((text) => `${file} ${text}`),
    )
  expect(faults).toEqual([])
  expect(sentencesOf("fault('The id stands twice.') // 'not this one here'\nconst beside = ['beside']")).toEqual([
    'The id stands twice.',
  ])
})

test('pages for users have ordinary words', () => {
  const folders = ['.', 'create-pact-agent', 'create-pact-agent/template', 'docs', 'docs/guides', 'site']
  const pages = folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.join(folder, file)),
  )
  expect(pages.length).toBeGreaterThan(40)
  const faults = pages.flatMap((page) =>
    fs
      .readFileSync(path.join(ROOT, page), 'utf8')
      .split('\n')
      .flatMap((line, index) => (WORDS.test(line) ? [`${page}:${index + 1} ${line}`] : [])),
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

/** The folders with code of ours; vitest.config.ts is the one file outside of them. */
const FOLDERS = ['bench', 'demo', 'examples', 'scripts', 'src', 'test', 'testing']

function sources(): readonly string[] {
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => !file.includes('node_modules'))
      .map((file) => path.join(folder, file)),
  )
  // This file has the words as data.
  return [...files, 'vitest.config.ts'].filter(
    (file) => /\.(?:tsx?|mjs)$/.test(file) && !file.endsWith('prose.test.ts'),
  )
}

/** String literals of three words or more, line by line; comments are left out. */
function sentencesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const code = /^\s*(?:\/\/|\/?\*)/.test(line) ? '' : line.replace(/ \/\/ .*$/, '')
    const literals = code.match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
    return literals.map((each) => each.slice(1, -1)).filter((each) => each.split(' ').length >= 3)
  })
}

/** Comments line by line, without their marks. */
function commentsOf(text: string): readonly Readonly<{ line: number; text: string }>[] {
  return text.split('\n').flatMap((each, index) => {
    const found = /^\s*(?:\/\/|\/\*\*?|\*(?!\/)|\{\/\*)\s?(.*?)\s*(?:\*\/\}?)?$/.exec(each) ?? / \/\/ (.*)$/.exec(each)
    return found === null || found[1] === '' ? [] : [{ line: index + 1, text: found[1]! }]
  })
}
