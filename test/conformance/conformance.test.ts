// Keeps docs/implementers/conformance.md honest: the table, the tests it names and the lines of the documents must agree, so that no
// requirement is lost and no row promises a test that is not there (STYLE §7).

import { existsSync, readFileSync } from 'node:fs'

import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/** Issues that are done: nothing may wait for them any more. */
const FINISHED = [2, 3, 4, 5]

const ROOT = new URL('../../', import.meta.url)
const LEVELS = ['MUST', 'MUST NOT', 'SHALL', 'SHOULD', 'checklist', 'rule']
const REQUIRES = /\b(?:MUST|SHALL)\b/

/** The document that a row cites, by the first letter of its id; 000 repeats chapter 04 of 002 and has no rows of its own. */
const SEED_OF_PREFIX: Readonly<Record<string, string>> = {
  q: '001_d29470ac1b2639fb.txt',
  g: '003_683644938800d242.txt',
  s: '004_f48d6811538d1ae4.txt',
}
const SPECIFICATION = '002_cd1daeba3a15b72a.txt'
const REPEATED_CHAPTER = '000_a4f3ada457752747.txt'

type Row = Readonly<{
  id: string
  where: string
  requirement: string
  level: string
  tests: readonly string[]
  seed: string
  lines: ReadonlySet<number>
}>

const rows = readRows(readText('docs/implementers/conformance.md'))
/** Recorded by scripts/document-facts.mjs. */
const documents = JSON.parse(readText('test/golden/documents.json')) as Record<
  string,
  Readonly<{ sha256: string; lines: number; requires: readonly number[] }>
>
const musts = JSON.parse(readText('test/golden/musts.json')) as Record<string, Record<string, string[]>>

describe('the conformance table', () => {
  test('has rows with unique ids, known levels, a place and a test in every cell', () => {
    expect(rows.length).toBeGreaterThan(0)
    expect(repeated(rows.map((row) => row.id))).toEqual([])
    const bad = rows.filter(
      (row) =>
        !/^(?:\d\d|[qgs])-[\w.-]+$/.test(row.id) ||
        !LEVELS.includes(row.level) ||
        row.requirement === '' ||
        row.lines.size === 0 ||
        row.tests.length === 0,
    )
    expect(bad.map((row) => row.id)).toEqual([])
  })

  test('names only tests that exist under exactly that title and are not skipped, or an issue to wait for', () => {
    const titles = new Map<string, readonly TestTitle[]>()
    const missing = new Set<string>()
    for (const row of rows) {
      for (const cell of row.tests) {
        if (/^pending: #\d+$/.test(cell)) continue
        const named = /^(?<file>\S+\.test\.ts): (?<title>.+)$/.exec(cell)?.groups
        if (named === undefined) {
          missing.add(`${row.id}: neither a test nor an issue: ${cell}`)
          continue
        }
        const { file, title } = named as { file: string; title: string }
        if (!titles.has(file)) titles.set(file, existsSync(new URL(file, ROOT)) ? testTitles(readText(file)) : [])
        if (!titles.get(file)!.some((written) => matches(written, title))) missing.add(cell)
      }
    }
    expect([...missing]).toEqual([])
  })

  test('has one kind of cell per row: a row that waits for an issue names no test beside it', () => {
    const mixed = rows.filter((row) => row.tests.length > 1 && row.tests.some((cell) => cell.startsWith('pending:')))
    expect(mixed.map((row) => row.id)).toEqual([])
  })

  test('lets no row wait for a finished issue', () => {
    const late = rows.filter((row) => row.tests.some((cell) => FINISHED.some((issue) => cell === `pending: #${issue}`)))
    expect(late.map((row) => row.id)).toEqual([])
  })
})

describe('the list of MUST lines', () => {
  test('names only rows that exist, and at least one for every line', () => {
    const ids = new Set(rows.map((row) => row.id))
    const bad: string[] = []
    for (const [seed, lines] of Object.entries(musts)) {
      for (const [line, covering] of Object.entries(lines)) {
        if (covering.length === 0 || covering.some((id) => !ids.has(id)))
          bad.push(`${seed} L${line}: ${covering.join()}`)
      }
    }
    expect(bad).toEqual([])
  })

  test('maps a line to exactly the rows that cite it', () => {
    for (const [seed, lines] of Object.entries(musts)) {
      if (seed === REPEATED_CHAPTER) continue
      for (const [line, covering] of Object.entries(lines)) {
        const citing = rows.filter((row) => row.seed === seed && row.lines.has(Number(line))).map((row) => row.id)
        expect([...covering].sort(), `${seed} L${line}`).toEqual(citing.sort())
      }
    }
  })

  test('holds the line of every row whose level is MUST, MUST NOT or SHALL', () => {
    const loose = rows.filter(
      (row) => REQUIRES.test(row.level) && ![...row.lines].some((line) => musts[row.seed]?.[line]?.includes(row.id)),
    )
    expect(loose.map((row) => row.id)).toEqual([])
  })

  test('covers the repeated chapter by rows of chapter 04', () => {
    const others = Object.values(musts[REPEATED_CHAPTER] ?? {})
      .flat()
      .filter((id) => !id.startsWith('04-'))
    expect(others).toEqual([])
  })

  test('holds every line of the documents with MUST, MUST NOT or SHALL and no other', () => {
    for (const [seed, lines] of Object.entries(musts)) {
      expect(Object.keys(lines).map(Number), seed).toEqual(documents[seed]?.requires)
    }
    expect(Object.keys(musts)).toEqual(Object.keys(documents))
    expect(Object.keys(musts)).toEqual([REPEATED_CHAPTER, ...new Set(rows.map((row) => row.seed))].sort())
  })

  test('is cited within the documents: no row names a line they do not have', () => {
    const beyond = rows.filter((row) => Math.max(...row.lines) > documents[row.seed]!.lines)
    expect(beyond.map((row) => row.id)).toEqual([])
  })

  test('is that of the document whose Python made the vectors', () => {
    const { source } = JSON.parse(readText('test/golden/python-vectors.json')) as { source: object }
    expect(source).toMatchObject({ document: SPECIFICATION, sha256: documents[SPECIFICATION]?.sha256 })
  })
})

describe('the reader of test titles', () => {
  test.each([
    ["test('a', () => {})", ['a']],
    ['it("b", () => {})', ['b']],
    ['test.each([1])(`c`, () => {})', ['c']],
    ["test.skipIf(x)('d', () => {})", ['d']],
    ["describe('e', () => { test('f', () => {}) })", ['f']],
    ['for (const x of xs) test(`${x} holds (01 §1)`, () => {})', ['anything holds (01 §1)']],
  ])('finds the title in %s', (source, expected) => {
    const found = testTitles(source)
    expect(found).toHaveLength(expected.length)
    for (const [index, title] of expected.entries()) expect(matches(found[index]!, title)).toBe(true)
  })

  test.each([
    "test.skip('a', () => {})",
    "it.todo('a')",
    "test('a')",
    "test('a', { skip: true }, () => {})",
    "describe.skip('group', () => { test('a', () => {}) })",
    "// test('a', () => {})",
    'const text = "test(\'a\')"',
    "describe('a', () => {})",
    "expect(test).toBe('a')",
  ])('counts no test in %s', (source) => {
    expect(testTitles(source)).toEqual([])
  })

  test('takes no title that is hardly written out for a row', () => {
    expect(matches(['', ''], 'orders siblings (02 §4.3)')).toBe(false)
  })
})

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

function readRows(markdown: string): readonly Row[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (?:id|---) /.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      if (cells.length !== 7) throw new Error(`A row needs five cells: ${line}`)
      const [, id, where, requirement, level, test] = cells as [string, string, string, string, string, string, string]
      const seed = SEED_OF_PREFIX[id.charAt(0)] ?? SPECIFICATION
      return { id, where, requirement, level, tests: test.split('<br>'), seed, lines: citedLines(where) }
    })
}

/** The lines in `02 §4.4 (L337, L340-342)`. */
function citedLines(where: string): ReadonlySet<number> {
  const lines = new Set<number>()
  for (const [, first, last] of where.matchAll(/\bL(\d+)(?:-(\d+))?/g)) {
    for (let line = Number(first); line <= Number(last ?? first); line++) lines.add(line)
  }
  return lines
}

/** The fixed parts of a title; between two of them is a value known only when the test runs. */
type TestTitle = readonly string[]

/** At least half of the title must be written out: a bare `${title}` would stand for every row. */
function matches(written: TestTitle, title: string): boolean {
  if (written.join('').length * 2 < title.length) return false
  const pattern = written.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('.+')
  return new RegExp(`^${pattern}$`, 'u').test(title)
}

/** The titles of all tests in a file, in any of vitest's forms; what is skipped or only planned is left out. */
function testTitles(source: string): readonly TestTitle[] {
  const found: TestTitle[] = []
  visit(ts.createSourceFile('file.test.ts', source, ts.ScriptTarget.Latest))
  return found

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const [name, ...modifiers] = calleeNames(node.expression)
      const [title, ...rest] = node.arguments
      if (name === 'test' || name === 'it' || name === 'describe') {
        if (modifiers.includes('skip') || modifiers.includes('todo') || rest.some(asksToSkip)) return
        const parts = title === undefined || rest.length === 0 || name === 'describe' ? undefined : literalParts(title)
        if (parts !== undefined) found.push(parts)
      }
    }
    ts.forEachChild(node, visit)
  }
}

/** `test.skipIf(x)('…')` is called as test, skipIf. Empty where the callee is no plain chain of names. */
function calleeNames(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text]
  if (ts.isPropertyAccessExpression(callee)) return [...calleeNames(callee.expression), callee.name.text]
  if (ts.isCallExpression(callee)) return calleeNames(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return calleeNames(callee.tag)
  return []
}

/** `test('…', { skip: true }, …)`, and the same with todo. */
function asksToSkip(option: ts.Expression): boolean {
  return (
    ts.isObjectLiteralExpression(option) &&
    option.properties.some(
      (property) =>
        ts.isPropertyAssignment(property) &&
        ts.isIdentifier(property.name) &&
        ['skip', 'todo'].includes(property.name.text) &&
        property.initializer.kind === ts.SyntaxKind.TrueKeyword,
    )
  )
}

function literalParts(title: ts.Expression): TestTitle | undefined {
  if (ts.isStringLiteralLike(title)) return [title.text]
  if (ts.isTemplateExpression(title)) return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)]
  return undefined
}

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
