// Turns the code of Markdown fences and of `@example` tags into modules that check themselves, and runs them as a user
// would: in another process, with `pact-context` resolved through the exports of package.json to the built dist.
// The convention they follow is at the top of test/docs/docs.test.ts.

import { fork } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'

import ts from 'typescript'

import { readFences } from './markdown.js'
import type { Fence } from './markdown.js'

export type Example = Readonly<{
  /** The document, relative to the root. */
  file: string
  /** Where the code begins, and the part that names the example: the throwing one, else the first. */
  line: number
  /** The code on the lines it has in its document, so that errors name those. */
  source: string
  /** The line on which the part begins that must throw, and the code it must throw with. */
  throws?: Readonly<{ code: string; line: number }>
  /** Why it is not run. */
  noRun?: string
}>

export type ExampleHome = Readonly<{ folder: string; remove: () => void }>

const RUNNER = fileURLToPath(new URL('./run-examples.mjs', import.meta.url))
const LANGUAGES = ['ts', 'typescript', 'mts', 'js', 'javascript', 'mjs']
const TIME_LIMIT_MS = 120_000

/** Reads the runnable examples of a Markdown text. Throws when a fence says something the convention does not know. */
export function readMarkdownExamples(file: string, markdown: string): readonly Example[] {
  return joinParts(file, readFences(markdown))
}

/** Reads the `@example` tags of the doc comments in a source text; a tag holds plain code or fences. */
export function readCommentExamples(file: string, text: string): readonly Example[] {
  // Most files have none, and need not be parsed.
  if (!text.includes('@example')) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const comments = commentsOf(source).filter((comment) => comment.text.startsWith('/**'))
  return comments.flatMap((comment) => {
    const lines = comment.text.replace(/\*\/$/, '').split('\n')
    const plain = lines.map((line, index) => line.replace(index === 0 ? /^\/\*\*\s?/ : /^\s*\* ?/, '').trimEnd())
    const firstLine = source.getLineAndCharacterOfPosition(comment.pos).line + 1
    return tagsNamed('@example', plain).flatMap(({ at, body }) => {
      const line = firstLine + at
      const fences = readFences(body).map((fence) => ({ ...fence, line: fence.line + line - 1 }))
      return joinParts(file, fences.length > 0 ? fences : [{ info: 'ts', code: body, line }])
    })
  })
}

/** Makes a folder for example modules in which `pact-context` resolves to `packageRoot`, as if it were installed there. */
export function makeExampleHome(packageRoot: string): ExampleHome {
  const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
  fs.mkdirSync(cache, { recursive: true })
  const folder = fs.mkdtempSync(path.join(cache, 'doc-examples-'))
  fs.mkdirSync(path.join(folder, 'node_modules'))
  // A link, because Node offers a package's self-reference nowhere below a node_modules folder.
  fs.symlinkSync(packageRoot, path.join(folder, 'node_modules', 'pact-context'), 'junction')
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, maxRetries: 5, force: true }) }
}

/** The fault of an example, or undefined; known when its turn has come. */
type Outcome = Promise<string | undefined>

/**
 * Runs examples, one after another in one process, since starting one takes longer than most examples do. One that hangs,
 * or ends the process, is the fault of the example under way; the rest go on in a new one.
 */
export function runExamples(examples: readonly Example[], home: ExampleHome, root: string): readonly Outcome[] {
  const jobs: Job[] = []
  const outcomes = examples.map((example): Outcome => {
    const built = buildModule(example, root)
    if ('problem' in built) return Promise.resolve(built.problem)
    const module = path.join(home.folder, `${example.file.replace(/[^\w.]+/g, '-')}-${example.line}.mjs`)
    fs.writeFileSync(module, built.code)
    const { file, throws } = example
    return new Promise((done) => {
      jobs.push({ module: pathToFileURL(module).href, file, arrows: built.arrows, throws: throws?.code, done })
    })
  })
  void work(jobs, home)
  return outcomes
}

type Job = Readonly<{
  module: string
  file: string
  arrows: readonly number[]
  throws: string | undefined
  done: (problem: string | undefined) => void
}>

/** Starts processes until every job is done. */
async function work(jobs: readonly Job[], home: ExampleHome): Promise<void> {
  let rest = jobs
  while (rest.length > 0) rest = await workOff(rest, home)
}

/** Starts one process; gives the jobs that it left undone. */
function workOff(jobs: readonly Job[], home: ExampleHome): Promise<readonly Job[]> {
  const list = path.join(home.folder, `jobs-${jobs.length}.json`)
  fs.writeFileSync(list, JSON.stringify(jobs))
  const child = fork(RUNNER, [list], {
    cwd: home.folder,
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += String(text)))
  let done = 0
  let isLate = false
  const wait = () => setTimeout(() => (isLate = child.kill('SIGKILL')), TIME_LIMIT_MS)
  let limit = wait()
  child.on('message', (problem) => {
    clearTimeout(limit)
    limit = wait()
    jobs[done++]!.done((problem as string) || undefined)
    printed = ''
  })
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(limit)
      const ended = isLate ? `Ended after ${TIME_LIMIT_MS / 1000} s.\n` : ''
      jobs[done++]?.done(`${ended}${printed}`.trim() || 'The process ended without a word.')
      resolve(jobs.slice(done))
    })
  })
}

/** Joins the fences into examples: `continue` adds to the example before it, and a throwing part never does. */
function joinParts(file: string, fences: readonly Fence[]): readonly Example[] {
  const examples: Example[] = []
  /** The state that a `continue` goes on from. */
  let current: Example | undefined
  for (const fence of fences) {
    const info = readInfo(file, fence)
    if (info === undefined) continue
    const { line } = fence
    if (info.continues && current === undefined) {
      throw new Error(`${file}:${line - 1}: \`continue\` has no block before it that runs.`)
    }
    const before = info.continues ? current! : undefined
    const source = placeAtLine(before?.source ?? '', fence.code, line)
    if (info.noRun !== undefined) {
      examples.push({ file, line, source, noRun: info.noRun })
      current = undefined
    } else if (info.throws !== undefined) {
      examples.push({ file, line, source, throws: { code: info.throws, line } })
      if (before === undefined) current = undefined
    } else {
      const example = { file, line: before?.line ?? line, source }
      if (before === undefined) examples.push(example)
      else examples[examples.indexOf(before)] = example
      current = example
    }
  }
  return examples
}

/** Reads `ts continue throws E_CODE` or `ts no-run: reason`; undefined for a fence in another language. */
function readInfo(file: string, fence: Fence): { continues: boolean; throws?: string; noRun?: string } | undefined {
  const [language = '', ...words] = fence.info.split(/\s+/)
  if (!LANGUAGES.includes(language.toLowerCase())) return undefined
  const rest = words.join(' ')
  const match = /^(continue)?(?: ?throws (E_[A-Z_]+))?$/.exec(rest)
  if (match !== null) return { continues: match[1] !== undefined, ...(match[2] !== undefined && { throws: match[2] }) }
  const reason = /^no-run: (\S.*)$/.exec(rest)?.[1]
  if (reason !== undefined) return { continues: false, noRun: reason }
  throw new Error(
    `${file}:${fence.line - 1}: a fence says "${fence.info}"; known are "${language} continue", "${language} throws E_…" and "${language} no-run: <reason>".`,
  )
}

function placeAtLine(before: string, code: string, line: number): string {
  const linesBefore = before === '' ? 0 : before.split('\n').length
  return `${before}${'\n'.repeat(line - Math.max(linesBefore, 1))}${code}`
}

type Edit = Readonly<{ pos: number; end: number; text: string }>

/** Weaves the checks of the arrow comments into the code and compiles it to JavaScript. */
function buildModule(
  example: Example,
  root: string,
): { code: string; arrows: readonly number[] } | { problem: string } {
  const { file, source: text } = example
  const source = ts.createSourceFile('example.mts', text, ts.ScriptTarget.Latest, true)
  const lineAt = (pos: number) => source.getLineAndCharacterOfPosition(pos).line + 1
  const owners = arrowOwners(source)
  const edits: Edit[] = []
  const arrows: number[] = []
  for (const arrow of arrowComments(source)) {
    const line = lineAt(arrow.pos)
    const owner = owners.find(({ end }) => /^[ \t;]*(?:(?:\/\/[^\n]*)?\r?\n[ \t]*)?$/.test(text.slice(end, arrow.pos)))
    if (owner === undefined) {
      return { problem: `${file}:${line}: the arrow stands behind no expression and no \`const name = …\`.` }
    }
    arrows.push(line)
    const literal = isLiteralText(arrow.value) ? `() => (${arrow.value})` : 'undefined'
    const what = `${line}, ${JSON.stringify(arrow.value)}, ${literal.replaceAll('\n', ' ')}`
    const { expression } = owner
    const start = expression.getStart(source)
    if (ts.isCallExpression(expression) && expression.expression.getText(source) === 'console.log') {
      edits.push({ pos: start, end: expression.expression.end, text: `__printed(${what})` })
    } else {
      edits.push({ pos: start, end: start, text: `__value(${what}, ` })
      edits.push({ pos: expression.end, end: expression.end, text: ')' })
    }
  }
  if (example.throws !== undefined) {
    const pos = source.getPositionOfLineAndCharacter(example.throws.line - 1, 0)
    edits.push({ pos, end: pos, text: '__expectThrow();' })
  }
  const woven = edits
    .toSorted((a, b) => b.pos - a.pos || b.end - a.end)
    .reduce((code, edit) => code.slice(0, edit.pos) + edit.text + code.slice(edit.end), text)
  const output = ts.transpileModule(woven, {
    fileName: 'example.mts',
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      sourceMap: true,
    },
  })
  const [fault] = output.diagnostics ?? []
  if (fault !== undefined) {
    const message = ts.flattenDiagnosticMessageText(fault.messageText, '\n')
    return { problem: `${file}:${lineAt(fault.start ?? 0)}: ${message}` }
  }
  // The map names the document itself, so that a stack trace points into it.
  const map = { ...JSON.parse(output.sourceMapText ?? '{}'), sources: [pathToFileURL(path.join(root, file)).href] }
  const inline = Buffer.from(JSON.stringify(map)).toString('base64')
  const code = output.outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, '')
  return { code: `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`, arrows }
}

/** The statements that an arrow may follow, inner ones first: an expression, or one name with a value. */
function arrowOwners(source: ts.SourceFile): readonly { end: number; expression: ts.Expression }[] {
  const owners: { end: number; expression: ts.Expression }[] = []
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (ts.isExpressionStatement(node)) owners.push({ end: node.end, expression: node.expression })
    if (ts.isVariableStatement(node) && node.declarationList.declarations.length === 1) {
      const [declaration] = node.declarationList.declarations
      if (declaration?.initializer) owners.push({ end: node.end, expression: declaration.initializer })
    }
  }
  visit(source)
  return owners
}

/** Lists the `// → value` comments; a line that goes on with `//` and three spaces belongs to the value above it. */
function arrowComments(source: ts.SourceFile): readonly { pos: number; value: string }[] {
  const arrows: { pos: number; end: number; value: string }[] = []
  for (const comment of commentsOf(source)) {
    const last = arrows.at(-1)
    const start = /^\/\/ ?→ ?/.exec(comment.text)
    if (start !== null) {
      arrows.push({ pos: comment.pos, end: comment.end, value: comment.text.slice(start[0].length).trim() })
    } else if (
      last &&
      comment.text.startsWith('//   ') &&
      /^\r?\n[ \t]*$/.test(source.text.slice(last.end, comment.pos))
    ) {
      last.value = `${last.value}\n${comment.text.slice('//   '.length).trimEnd()}`.trim()
      last.end = comment.end
    }
  }
  return arrows
}

/** Lists all comments in order, from the tokens they surround, so that one inside a string is none. */
function commentsOf(source: ts.SourceFile): readonly { pos: number; end: number; text: string }[] {
  const found = new Map<number, ts.CommentRange>()
  const add = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const range of ranges ?? []) found.set(range.pos, range)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return
    add(ts.getLeadingCommentRanges(source.text, node.pos))
    add(ts.getTrailingCommentRanges(source.text, node.end))
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  const ranges = [...found.values()].sort((a, b) => a.pos - b.pos)
  return ranges.map(({ pos, end }) => ({ pos, end, text: source.text.slice(pos, end) }))
}

/** Finds the bodies of one tag in the lines of a doc comment; a body ends at the next tag. */
function tagsNamed(tag: string, lines: readonly string[]): readonly { at: number; body: string }[] {
  return lines.flatMap((line, at) => {
    if (!new RegExp(`^\\s*${tag}\\b`).test(line)) return []
    const next = lines.findIndex((each, index) => index > at && /^\s*@\w/.test(each))
    const body = [line.replace(tag, ''), ...lines.slice(at + 1, next === -1 ? undefined : next)]
    return [{ at, body: body.join('\n').trimEnd() }]
  })
}

/** Tells whether a text is a JavaScript literal: nothing in it can call or read anything. */
function isLiteralText(text: string): boolean {
  const wrapped = `(${text})`
  if (!isScript(wrapped)) return false
  const [statement, second] = ts.createSourceFile('literal.ts', wrapped, ts.ScriptTarget.Latest, true).statements
  return (
    second === undefined &&
    statement !== undefined &&
    ts.isExpressionStatement(statement) &&
    isLiteral(statement.expression)
  )
}

/** Only reads it. Several times faster than to ask the compiler. */
function isScript(text: string): boolean {
  try {
    return new vm.Script(`'use strict';${text}`) instanceof vm.Script
  } catch {
    return false
  }
}

function isLiteral(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isLiteral(node.expression)
  if (ts.isPrefixUnaryExpression(node)) return isLiteral(node.operand)
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral)
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every(
      (each) => ts.isPropertyAssignment(each) && !ts.isComputedPropertyName(each.name) && isLiteral(each.initializer),
    )
  }
  if (ts.isIdentifier(node)) return ['undefined', 'NaN', 'Infinity'].includes(node.text)
  const keywords = [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword]
  return keywords.includes(node.kind) || (ts.isLiteralExpression(node) && !ts.isRegularExpressionLiteral(node))
}
