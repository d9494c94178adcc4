// The mutants of a file: small faults, each in one place, found on the syntax tree and written as a change of the text. Words
// and error codes stay as they are, since a test of a message says nothing about behaviour.

import ts from 'typescript'

/**
 * A change of one file: the text from `start` to `end` becomes `text`.
 * @typedef {{ file: string, line: number, column: number, kind: string, start: number, end: number, before: string, text: string }} Mutant
 */

const { SyntaxKind } = ts

/** Operators and what takes their place, by kind of mutant. */
const OPERATORS = new Map([
  [
    SyntaxKind.LessThanToken,
    [
      ['bound', '<='],
      ['comparison', '>='],
    ],
  ],
  [
    SyntaxKind.LessThanEqualsToken,
    [
      ['bound', '<'],
      ['comparison', '>'],
    ],
  ],
  [
    SyntaxKind.GreaterThanToken,
    [
      ['bound', '>='],
      ['comparison', '<='],
    ],
  ],
  [
    SyntaxKind.GreaterThanEqualsToken,
    [
      ['bound', '>'],
      ['comparison', '<'],
    ],
  ],
  [SyntaxKind.EqualsEqualsEqualsToken, [['comparison', '!==']]],
  [SyntaxKind.ExclamationEqualsEqualsToken, [['comparison', '===']]],
  [SyntaxKind.AmpersandAmpersandToken, [['logic', '||']]],
  [SyntaxKind.BarBarToken, [['logic', '&&']]],
  [SyntaxKind.MinusToken, [['arithmetic', '+']]],
  [SyntaxKind.AsteriskToken, [['arithmetic', '+']]],
  [SyntaxKind.PercentToken, [['arithmetic', '*']]],
])

/** Methods whose call can be left out: what they are called on takes their place. */
const LEFT_OUT = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'concat'])

/** Methods that are easily taken for each other. */
const TAKEN_FOR = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['max', 'min'],
  ['min', 'max'],
  ['push', 'unshift'],
])

/**
 * The mutants of each file, named from `root`. Types are asked for where a change must make sense to the compiler.
 * @param {string} root
 * @param {readonly string[]} files
 * @returns {readonly (readonly Mutant[])[]}
 */
export function mutantsOf(root, files) {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${root}/tsconfig.json`, (name) => ts.sys.readFile(name)).config,
    ts.sys,
    root,
  )
  const program = ts.createProgram(
    files.map((file) => `${root}/${file}`),
    options,
  )
  const checker = program.getTypeChecker()
  return files.map((file) => {
    const tree = program.getSourceFile(`${root}/${file}`)
    if (tree === undefined) throw new Error(`The compiler does not find ${file}.`)
    return mutantsIn(file, tree, checker)
  })
}

/**
 * @param {string} file
 * @param {ts.SourceFile} tree
 * @param {ts.TypeChecker} checker
 * @returns {readonly Mutant[]}
 */
function mutantsIn(file, tree, checker) {
  const source = tree.text
  /** @type {Mutant[]} */
  const found = []

  /**
   * @param {string} kind
   * @param {number} start
   * @param {number} end
   * @param {string} text
   */
  const add = (kind, start, end, text) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(start)
    found.push({
      file,
      line: line + 1,
      column: character + 1,
      kind,
      start,
      end,
      before: source.slice(start, end),
      text,
    })
  }
  /**
   * @param {string} kind
   * @param {ts.Node} node
   * @param {string} text
   */
  const change = (kind, node, text) => add(kind, node.getStart(), node.getEnd(), text)

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isThrowStatement(node)) {
      change('statement removed', node, ';')
      return
    }
    // The text of an error.
    if (ts.isNewExpression(node) && node.expression.getText() === 'PactError') return
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'message') return
    if (ts.isBinaryExpression(node)) operators(node)
    else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) condition(node)
    else if (ts.isWhileStatement(node)) change('condition', node.expression, 'false')
    else if (ts.isPrefixUnaryExpression(node)) prefix(node)
    else if (ts.isExpressionStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node)) removed(node)
    else if (ts.isCallExpression(node)) call(node)
    else if (ts.isNumericLiteral(node)) change('constant', node, String(Number(node.text) + 1))
    else if (ts.isBigIntLiteral(node)) change('constant', node, `${BigInt(node.text.slice(0, -1)) + 1n}n`)
    else if (node.kind === SyntaxKind.TrueKeyword) change('boolean', node, 'false')
    else if (node.kind === SyntaxKind.FalseKeyword) change('boolean', node, 'true')
    else if (ts.isSpreadAssignment(node)) change('spread removed', node.expression, '{}')
    else if (ts.isReturnStatement(node)) returned(node)
    else if (ts.isBlock(node)) early(node)
    ts.forEachChild(node, visit)
  }

  /** @param {ts.BinaryExpression} node */
  function operators({ left, operatorToken, right }) {
    for (const [kind, text] of OPERATORS.get(operatorToken.kind) ?? []) change(kind, operatorToken, text)
    if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
      add('default dropped', left.getEnd(), right.getEnd(), '!')
    }
    const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
    if (operatorToken.kind === SyntaxKind.PlusToken && !isText) change('arithmetic', operatorToken, '-')
  }

  /** @param {ts.IfStatement | ts.ConditionalExpression} node */
  function condition(node) {
    const test = ts.isIfStatement(node) ? node.expression : node.condition
    change('condition', test, `!(${test.getText()})`)
    if (ts.isIfStatement(node)) change('condition', test, 'false')
  }

  /** @param {ts.PrefixUnaryExpression} node */
  function prefix(node) {
    if (node.operator === SyntaxKind.ExclamationToken) change('condition', node, node.operand.getText())
  }

  /** @param {ts.Statement} node */
  function removed(node) {
    change('statement removed', node, ';')
  }

  /** @param {ts.CallExpression} node */
  function call({ expression, arguments: given }) {
    if (ts.isPropertyAccessExpression(expression)) {
      const { text } = expression.name
      if (LEFT_OUT.has(text)) add('call left out', expression.expression.getEnd(), given.end + 1, '')
      const other = TAKEN_FOR.get(text)
      if (other !== undefined) change('method', expression.name, other)
    }
    for (const [i, right] of given.entries()) {
      const left = given[i - 1]
      if (left === undefined || left.getText() === right.getText() || !areAlike(left, right)) continue
      add('arguments swapped', left.getStart(), right.getEnd(), `${right.getText()}, ${left.getText()}`)
    }
  }

  /** @param {ts.ReturnStatement} node */
  function returned(node) {
    if (node.expression !== undefined && ts.isIdentifier(node.expression) && node.expression.text === 'undefined')
      return
    if (node.expression === undefined) change('statement removed', node, ';')
  }

  /** @param {ts.Block} node */
  function early(node) {
    if (!ts.isFunctionLike(node.parent) || node.statements.length < 2) return
    const first = node.statements[0]
    if (first !== undefined) add('early return', first.getStart(), first.getStart(), 'return undefined as never; ')
  }

  /**
   * True if each could take the place of the other.
   * @param {ts.Expression} left
   * @param {ts.Expression} right
   */
  function areAlike(left, right) {
    const [a, b] = [checker.getTypeAtLocation(left), checker.getTypeAtLocation(right)].map((type) =>
      checker.getBaseTypeOfLiteralType(type),
    )
    if (a === undefined || b === undefined) return false
    return checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a)
  }

  visit(tree)
  return found
}

/**
 * The source with the fault in it.
 * @param {string} source
 * @param {Pick<Mutant, 'start' | 'end' | 'text'>} mutant
 */
export function apply(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end)
}

/**
 * This many mutants, spread evenly: the files take turns, and in each file the kinds do.
 * @param {readonly (readonly Mutant[])[]} files
 * @param {number} count
 * @param {number} seed
 * @param {(mutant: Mutant) => boolean} isSound  what is not is left out
 * @returns {readonly Mutant[]}
 */
export function spread(files, count, seed, isSound) {
  const random = generator(seed)
  const queues = files.map((mutants) => inTurns(byKind(shuffled(mutants, random))))
  /** @type {Mutant[]} */
  const chosen = []
  for (const mutant of inTurns(shuffled(queues, random))) {
    if (chosen.length === count) break
    if (isSound(mutant)) chosen.push(mutant)
  }
  return chosen
}

/** @param {readonly Mutant[]} mutants */
function byKind(mutants) {
  return [...new Set(mutants.map(({ kind }) => kind))].map((kind) => mutants.filter((each) => each.kind === kind))
}

/**
 * The first of each list, then the second of each, and so on.
 * @template T
 * @param {readonly (readonly T[])[]} lists
 * @returns {T[]}
 */
function inTurns(lists) {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]}
 */
function shuffled(items, random) {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/**
 * Numbers from 0 to 1, the same for the same seed (mulberry32).
 * @param {number} seed
 */
function generator(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * True if the file still parses with the fault in it.
 * @param {string} source
 * @param {Mutant} mutant
 */
export function parses(source, mutant) {
  const { diagnostics } = ts.transpileModule(apply(source, mutant), {
    fileName: mutant.file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  return (diagnostics ?? []).length === 0
}
