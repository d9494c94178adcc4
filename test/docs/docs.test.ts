// The documentation is run. Every fenced `ts` or `js` block of README.md, CONTRIBUTING.md, CHANGELOG.md, docs/ and the
// rooms' README.md, and every `@example` of a doc comment under src/, is a module that must run to its end against the
// built package (`npm run build`), and must compile in a strict TypeScript project. What a block may say:
//
//   ```ts                         a module of its own
//   ```ts continue                goes on where the block before it ended: same module, same names
// ```ts throws E_TTL_INVALID    must throw a PactError with that code; `continue` may come before `throws`, and a later
//                                 `continue` goes on from before the throwing block
//   ```ts no-run: <reason>        is not run, and says why
//
//   ctx.cycle // → 1              the value equals the JavaScript literal behind the arrow; also behind `const name = …`
// ctx.cycle                     the arrow may be on the next line, and a long literal may go on on lines
//   // → 1                        that start with `//` and three spaces
//   console.log(a, b) // → 1 2    of console.log, the one value or the printed text
//
// Objects are compared by their fields or their toJSON, never by class; bytes by their UTF-8 text; what no literal can
// spell, by its text. `…` in a string or text stands for anything. An arrow that is never reached fails.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ERROR_CODES } from '../../src/errors/index.js'
import { makeExampleHome, readCommentExamples, readMarkdownExamples, runExamples } from '../support/doc-examples.js'
import type { Example, ExampleHome } from '../support/doc-examples.js'
import { typeFaults } from '../support/doc-types.js'
import { findDocuments, findExamples, readText, ROOT } from '../support/documents.js'
import { readAnchors, readHeadings, readLinks } from '../support/markdown.js'

const DOCUMENTS = findDocuments()
const EXAMPLES = findExamples()

describe.runIf(EXAMPLES.length > 0)('the examples of the documentation', () => {
  let home: ExampleHome
  const run = EXAMPLES.filter(({ noRun }) => noRun === undefined)
  let outcomes: ReturnType<typeof runExamples>
  beforeAll(() => {
    if (!fs.existsSync(path.join(ROOT, 'dist/index.js')))
      throw new Error('dist/ is missing: run `npm run build` first.')
    home = makeExampleHome(ROOT)
    outcomes = runExamples(run, home, ROOT)
  })
  afterAll(() => home?.remove())

  test('all of them compile in a strict project, also those that are not run', async () => {
    expect(await typeFaults(EXAMPLES, home, ROOT)).toEqual([])
  })

  for (const [i, example] of run.entries()) {
    test(titleOf(example), async () => {
      expect(await outcomes[i]).toBeUndefined()
    })
  }
})

describe('the documents', () => {
  test('the files that every reader looks for are there', () => {
    const implementers = ['docs/implementers/readings.md', 'docs/implementers/conformance.md']
    const wanted = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...implementers]
    expect(wanted.filter((file) => !DOCUMENTS.includes(file))).toEqual([])
  })

  test('relative links lead to a file, and to an anchor that it has', () => {
    expect(DOCUMENTS.flatMap((file) => findBrokenLinks(file, readText(file)))).toEqual([])
  })

  test('no heading contains the token "CSS" (001 §10)', () => {
    expect(DOCUMENTS.flatMap((file) => findForbiddenHeadings(file, readText(file)))).toEqual([])
  })

  test('every error code that a document names exists', () => {
    expect(DOCUMENTS.flatMap((file) => findUnknownCodes(file, readText(file)))).toEqual([])
  })
})

describe('the checks of the documentation find a made-up fault', () => {
  let home: ExampleHome
  let fakePackage: string
  beforeAll(() => {
    fakePackage = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-fake-'))
    fs.writeFileSync(
      path.join(fakePackage, 'package.json'),
      JSON.stringify({ name: 'pact-context', type: 'module', exports: './index.js' }),
    )
    fs.writeFileSync(
      path.join(fakePackage, 'index.js'),
      `export class PactError extends Error {
         constructor(code) { super('No.'); this.code = code; this[Symbol.for('pact-context.error')] = true }
       }
       export class Box { constructor(inner) { this.inner = inner } toJSON() { return { boxed: this.inner } } }
       export const fail = (code) => { throw new PactError(code) }`,
    )
    home = makeExampleHome(fakePackage)
  })
  afterAll(() => {
    home.remove()
    fs.rmSync(fakePackage, { recursive: true, force: true })
  })

  /** Runs the examples of a Markdown text, in which `'''` stands for three backticks, and gives what failed. */
  const failuresOf = async (markdown: string): Promise<string> => {
    const examples = readMarkdownExamples('made-up.md', markdown.replaceAll("'''", '```'))
    const run = examples.filter((each) => each.noRun === undefined)
    const results = await Promise.all(runExamples(run, home, ROOT))
    return results.filter((each) => each !== undefined).join('\n')
  }

  const GOOD: readonly (readonly [string, string])[] = [
    ['a value behind its arrow', `'''ts\n1 + 1 // → 2\n'''`],
    ['a value above its arrow', `'''ts\n[1, { a: 'x' }]\n// → [1, { a: 'x' }]\n'''`],
    ['a named value', `'''ts\nconst n: bigint = 2n ** 64n // → 18446744073709551616n\n'''`],
    ['an awaited value', `'''js\nawait Promise.resolve(null) // → null\n'''`],
    [
      'a literal over several lines',
      `'''ts\n({ a: [1, 2], b: 'c' })\n// → {\n//     a: [1, 2],\n//     b: 'c',\n//   }\n'''`,
    ],
    ['a value inside a callback', `'''ts\n[1].forEach((n) => {\n  n + 1 // → 2\n})\n'''`],
    ['what is printed', `'''ts\nconsole.log('a', 1) // → a 1\nconsole.log('text') // → 'text'\n'''`],
    ['bytes by their text', `'''ts\nnew TextEncoder().encode('[{"a":1}]') // → [{"a":1}]\n'''`],
    ['an id without its random part', `'''ts\n['block:1-8f3a'] // → ['block:1-…']\n'''`],
    [
      'toJSON',
      `'''ts\nimport { Box } from 'pact-context'\nnew Box(1) // → { boxed: 1 }\nnew Box(2) // → { inner: 2 }\n'''`,
    ],
    ['a continued block', `'''ts\nconst a = 1\n'''\nand then\n'''ts continue\na + 1 // → 2\n'''`],
    [
      'a block that throws',
      `'''ts throws E_TTL_INVALID\nimport { fail } from 'pact-context'\nfail('E_TTL_INVALID')\n'''`,
    ],
    [
      'a block that goes on after one that throws',
      `'''ts\nimport { fail } from 'pact-context'\nconst a = 1\n'''\n'''ts continue throws E_STORE\nfail('E_STORE')\n'''\n'''ts continue\na // → 1\n'''`,
    ],
    ['a block in a list', `- item\n  '''ts\n  1 // → 1\n  '''`],
    ['an arrow in a string', `'''ts\nconst s = '// → 3'\n'''`],
    [
      'other languages and blocks that say why they do not run',
      `'''sh\nexit 1\n'''\n'''ts no-run: needs a key\nboom()\n'''`,
    ],
  ]
  test.each(GOOD)('passes %s', async (_, markdown) => {
    expect(await failuresOf(markdown)).toBe('')
  })

  const BAD: readonly (readonly [string, string, string])[] = [
    ['a wrong value', `'''ts\n1 + 1 // → 3\n'''`, 'made-up.md:2: expected → 3\n  got 2'],
    [
      'a wrong value in a swallowed callback',
      `'''ts\ntry {\n  ;[1] // → [2]\n} catch {}\n'''`,
      'made-up.md:3: expected',
    ],
    ['a number for a text', `'''ts\n'1' // → 1\n'''`, 'expected → 1'],
    ['a missing field', `'''ts\n({ a: 1, b: 2 }) // → { a: 1 }\n'''`, 'expected → { a: 1 }'],
    ['prose behind an arrow', `'''ts\n2 // → two\n'''`, 'expected → two'],
    [
      'an arrow that is never reached',
      `'''ts\nif (Number('0') === 1) {\n  1 // → 1\n}\n'''`,
      'made-up.md:3: the arrow was never reached',
    ],
    [
      'an arrow behind nothing',
      `'''ts\nimport 'pact-context'\n\n// → 1\n'''`,
      'made-up.md:4: the arrow stands behind no expression',
    ],
    ['an error, with its place', `\n\n'''ts\nconst o: unknown = undefined\n;(o as { a: 1 }).a\n'''`, 'made-up.md:5'],
    ['a missing export', `'''ts\nimport { gone } from 'pact-context'\ngone()\n'''`, 'gone'],
    ['bad syntax', `'''ts\nconst = 1\n'''`, 'made-up.md:2:'],
    ['no error where one is due', `'''ts throws E_STORE\n1\n'''`, 'throws nothing; expected E_STORE'],
    [
      'another error',
      `'''ts throws E_STORE\nimport { fail } from 'pact-context'\nfail('E_BUDGET')\n'''`,
      'Expected E_STORE',
    ],
    [
      'an error of another class',
      `'''ts throws E_STORE\nthrow Object.assign(new Error('x'), { code: 'E_STORE' })\n'''`,
      'Expected E_STORE',
    ],
    [
      'an error that comes before its block',
      `'''ts\nimport { fail } from 'pact-context'\nfail('E_STORE')\n'''\n'''ts continue throws E_STORE\nfail('E_STORE')\n'''`,
      'Expected E_STORE, and later',
    ],
    ['an example that never ends its work', `'''ts\nawait new Promise(() => {})\n'''`, 'ended before the example did'],
  ]
  test.each(BAD)('names %s', async (_, markdown, message) => {
    expect(await failuresOf(markdown)).toContain(message)
  })

  test.each(['ts contine', 'ts no-run', 'ts no-run:', 'ts throws', 'js throws TypeError', 'ts continue'])(
    'refuses a fence that says "%s"',
    (info) => {
      expect(() => readMarkdownExamples('made-up.md', `\`\`\`${info}\n1\n\`\`\``)).toThrow(/made-up\.md:1/)
    },
  )

  test('names what does not compile in a strict project, by its place in the document', async () => {
    const markdown = `\`\`\`ts\nconst list = []\nlist.push(1)\nlist.at(0).toFixed()\n\`\`\`\n\n\`\`\`ts\nconst fine: number = 1\n\`\`\``
    const faults = await typeFaults(readMarkdownExamples('made-up.md', markdown), home, ROOT)
    expect(faults).toEqual([expect.stringMatching(/^made-up\.md:4\b.*possibly 'undefined'/)])
  })

  test('reads the @example of a doc comment, plain or fenced, with its lines', async () => {
    const text = [
      `/** Adds. */`,
      `/**`,
      ` * Adds.`,
      ` * @example`,
      ` * 1 + 1 // → 2`,
      ` * @param a one`,
      ` */`,
      `const s = '/** @example no() */'`,
      `/**`,
      ` * @example A caption`,
      ` * \`\`\`ts`,
      ` * 1 + 1 // → 3`,
      ` * \`\`\``,
      ` */`,
    ].join('\n')
    const examples = readCommentExamples('src/made-up.ts', text)
    const results = await Promise.all(runExamples(examples, home, ROOT))
    expect(results).toEqual([undefined, expect.stringContaining('src/made-up.ts:12: expected → 3')])
  })

  test('a link to a missing file or anchor, or out of the repository, is named', () => {
    const markdown = [
      '[a](package.json) [b](./gone.md "title") [c](#here) [d](#nowhere) [e](https://example.org/x) `[f](gone.md)`',
      '![g](docs/gone.svg) [h](../outside.md)',
      '[i]: <also gone.md>',
      '```\n[j](gone.md)\n```',
      '## Here',
    ].join('\n')
    expect(findBrokenLinks('CONTRIBUTING.md', markdown)).toEqual([
      'CONTRIBUTING.md:1: ./gone.md leads to no file',
      'CONTRIBUTING.md:1: #nowhere leads to no heading',
      'CONTRIBUTING.md:2: docs/gone.svg leads to no file',
      'CONTRIBUTING.md:2: ../outside.md leads out of the repository',
      'CONTRIBUTING.md:3: also gone.md leads to no file',
    ])
  })

  test('anchors follow the rule of GitHub', () => {
    const headings = readHeadings(
      "# `createContext(options?)`\n## What's new: 1.0 & on\n## [Link](x.md) here\nTwice\n---\n## Twice\n",
    )
    expect(headings.map((each) => each.anchor)).toEqual([
      'createcontextoptions',
      'whats-new-10--on',
      'link-here',
      'twice',
      'twice-1',
    ])
  })

  test('a heading with the token, and an unknown code, are named', () => {
    expect(findForbiddenHeadings('a.md', '# Not CSS\n```\n# CSS\n```\nCSS\n# CSSOM')).toEqual(['a.md:1: Not CSS'])
    expect(findUnknownCodes('a.md', 'E_STORE, `E_NOPE`\nE_SNAPSHOT_RANGE_*, E_GONE_* and SOME_E_THING')).toEqual([
      'a.md:1: E_NOPE',
      'a.md:2: E_GONE_*',
    ])
  })
})

function titleOf(example: Example): string {
  const does = example.throws ? `throws ${example.throws.code}` : 'runs'
  return `${example.file}:${example.line} ${does}`
}

function findBrokenLinks(file: string, markdown: string): readonly string[] {
  return readLinks(markdown).flatMap(({ target, line }) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return []
    const [before = '', anchor] = target.split('#', 2).map(decodeURIComponent)
    const to = before === '' ? file : path.posix.join(path.posix.dirname(file), before)
    if (to.startsWith('..')) return [`${file}:${line}: ${target} leads out of the repository`]
    if (before !== '' && !fs.existsSync(path.join(ROOT, to))) return [`${file}:${line}: ${target} leads to no file`]
    if (anchor === undefined || (before !== '' && !to.endsWith('.md'))) return []
    const anchors = readAnchors(before === '' ? markdown : readText(to))
    return anchors.includes(anchor) ? [] : [`${file}:${line}: ${target} leads to no heading`]
  })
}

function findForbiddenHeadings(file: string, markdown: string): readonly string[] {
  const headings = readHeadings(markdown).filter((heading) => /\bCSS\b/.test(heading.text))
  return headings.map((heading) => `${file}:${heading.line}: ${heading.text}`)
}

/** A family such as `E_SNAPSHOT_RANGE_*` needs one code that starts so. */
function findUnknownCodes(file: string, markdown: string): readonly string[] {
  return markdown.split('\n').flatMap((line, index) =>
    [...line.matchAll(/(?<!\w)E_[A-Z](?:[A-Z0-9_]*[A-Z0-9])?(?:_\*)?/g)]
      .map(([code]) => code)
      .filter((code) => {
        if (code.endsWith('*')) return !ERROR_CODES.some((known) => known.startsWith(code.slice(0, -1)))
        return !(ERROR_CODES as readonly string[]).includes(code)
      })
      .map((code) => `${file}:${index + 1}: ${code}`),
  )
}
