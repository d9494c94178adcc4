// The imports of a source text and the names it reaches for, read from the syntax tree, so that comments and strings never count.

import path from 'node:path'

import ts from 'typescript'

export type Import = Readonly<{
  specifier: string
  line: number
  /** `type` leaves no trace at run time; `dynamic` loads later, so it cannot close a load cycle. */
  kind: 'value' | 'type' | 'dynamic'
}>

/**
 * A name used as a value, with the properties read from it, in the way it is used: `Math.random()`, `new Date`,
 * `process.env.HOME`. A property by itself, whatever it is read from, starts with a dot: `.localeCompare`.
 */
export type Use = Readonly<{ name: string; line: number }>

export function parseSource(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
}

/** Lists every import and re-export, `import()` in code and in types included. An `import()` of a computed name has specifier `*`. */
export function readImports(source: ts.SourceFile): readonly Import[] {
  const found: Import[] = []
  const add = (node: ts.Node, specifier: ts.Node | undefined, kind: Import['kind']) => {
    const text = specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : '*'
    found.push({ specifier: text, line: lineOf(source, node), kind })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type' : 'value')
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node, node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value')
    } else if (ts.isImportTypeNode(node)) {
      add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, 'type')
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node, node.moduleReference.expression, node.isTypeOnly ? 'type' : 'value')
    } else if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node, node.arguments[0], 'dynamic')
      else if (ts.isIdentifier(node.expression) && node.expression.text === 'require')
        add(node, node.arguments[0], 'value')
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Lists every name used as a value; `globalThis.x` counts as `x`, `x['y']` as `x.y`, and `typeof x` as no use. A Unicode property in a pattern is the use `\p{…}`. */
export function readUses(source: ts.SourceFile): readonly Use[] {
  const found: Use[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return
    if (ts.isIdentifier(node) && isValueUse(node)) found.push(useOf(source, node))
    if (isPattern(node) && /\\p\{/i.test(node.text)) found.push({ name: '\\p{…}', line: lineOf(source, node) })
    if (ts.isPropertyAccessExpression(node)) found.push({ name: `.${node.name.text}`, line: lineOf(source, node.name) })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Lists the lines with `export *`, which hides what a room offers; `export * as name` names it. */
export function readStarExports(source: ts.SourceFile): readonly number[] {
  return source.statements
    .filter((node) => ts.isExportDeclaration(node) && node.moduleSpecifier && !node.exportClause)
    .map((node) => lineOf(source, node))
}

/** Gives the package a bare specifier belongs to: `@noble/hashes/sha2.js` to `@noble/hashes`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Resolves a relative specifier to a path with forward slashes, from the folder of `file`. */
export function resolveRelative(file: string, specifier: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
}

/** A pattern, or a text that may become one. */
function isPattern(node: ts.Node): node is ts.LiteralLikeNode {
  return ts.isRegularExpressionLiteral(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

function isValueUse(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isTypeOfExpression(parent)) return false
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false
  if (ts.isQualifiedName(parent) || ts.isImportSpecifier(parent) || ts.isImportClause(parent)) return false
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false
  if (ts.isBindingElement(parent) && (parent.name === node || parent.propertyName === node)) return false
  if (ts.isExportSpecifier(parent) || ts.isNamespaceImport(parent) || ts.isLabeledStatement(parent)) return false
  // The name in a declaration, a method, a parameter or a class field introduces something; it uses nothing.
  const declared = (parent as { name?: ts.Node }).name
  return declared !== node || ts.isShorthandPropertyAssignment(parent)
}

function useOf(source: ts.SourceFile, start: ts.Identifier): Use {
  const names = [start.text]
  let node: ts.Node = start
  for (;;) {
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node) names.push(parent.name.text)
    else if (ts.isElementAccessExpression(parent) && parent.expression === node) {
      if (!ts.isStringLiteralLike(parent.argumentExpression)) break
      names.push(parent.argumentExpression.text)
    } else if (!(ts.isNonNullExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent)))
      break
    node = parent
  }
  if (names.length > 1 && names[0] === 'globalThis') names.shift()
  const name = names.join('.')
  const constructs = ts.isNewExpression(node.parent) && node.parent.expression === node
  const calls = ts.isCallExpression(node.parent) && node.parent.expression === node
  return { name: constructs ? `new ${name}` : calls ? `${name}()` : name, line: lineOf(source, start) }
}
