// The doc comments that a user of the package sees in an editor: those of what the entry exports, found by following the
// exports through the rooms' doors to the declarations, and of what public classes inherit.

import ts from 'typescript'

import { parseSource, resolveRelative } from './source.js'

export type PublicComment = Readonly<{ at: string; text: string }>

/** Gives the text of a file. */
type Read = (file: string) => string

type Declaration = Readonly<{ source: ts.SourceFile; node: ts.Node }>

/** Lists the comments in the order of the exports; a name that leads to no declaration is an error. */
export function readPublicComments(entry: string, read: Read): readonly PublicComment[] {
  const files = new Map<string, ts.SourceFile>()
  const open = (file: string): ts.SourceFile => {
    const source = files.get(file) ?? parseSource(file, read(file))
    files.set(file, source)
    return source
  }
  const found = new Map<string, PublicComment>()
  const seen = new Set<ts.Node>()
  const add = (file: string, name: string): void => {
    for (const { source, node } of findDeclarations(file, name, open)) {
      if (seen.has(node)) continue
      seen.add(node)
      for (const comment of commentsIn(source, node)) found.set(comment.at, comment)
      for (const parent of parentsOf(node)) add(source.fileName, parent)
    }
  }
  for (const name of exportedNames(open(entry))) add(entry, name)
  return [...found.values()]
}

function exportedNames(source: ts.SourceFile): readonly string[] {
  return source.statements.filter(ts.isExportDeclaration).flatMap((each) => namesIn(each).map(([name]) => name))
}

/** The declarations of `name` in a file: its own, all overloads of them, or those of the file that it has the name from. */
function findDeclarations(file: string, name: string, open: (file: string) => ts.SourceFile): readonly Declaration[] {
  const source = open(file)
  const own = source.statements.filter((node) => declaredNames(node).includes(name))
  if (own.length > 0) return own.map((node) => ({ source, node }))
  for (const node of source.statements) {
    if (!(ts.isExportDeclaration(node) || ts.isImportDeclaration(node)) || node.moduleSpecifier === undefined) continue
    const [, original] = namesIn(node).find(([here]) => here === name) ?? []
    if (original === undefined) continue
    const specifier = (node.moduleSpecifier as ts.StringLiteral).text
    return findDeclarations(resolveRelative(file, specifier).replace(/\.js$/, '.ts'), original, open)
  }
  throw new Error(`${file} has no declaration of ${name}.`)
}

function declaredNames(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map((each) => each.name.getText())
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node)
  ) {
    return node.name === undefined ? [] : [node.name.text]
  }
  return []
}

/** The names that an import or export brings: as they are called here, and where they come from. */
function namesIn(node: ts.ExportDeclaration | ts.ImportDeclaration): readonly (readonly [string, string])[] {
  const list = ts.isExportDeclaration(node) ? node.exportClause : node.importClause?.namedBindings
  if (list === undefined || !(ts.isNamedExports(list) || ts.isNamedImports(list))) return []
  return list.elements.map((each) => [each.name.text, (each.propertyName ?? each.name).text] as const)
}

function parentsOf(node: ts.Node): readonly string[] {
  if (!ts.isClassDeclaration(node)) return []
  const parents = (node.heritageClauses ?? []).flatMap((clause) => [...clause.types])
  return parents.map((each) => each.expression.getText()).filter((name) => name !== 'Error')
}

/** The doc comments of a declaration and of its members, without the inside of a body or internal ones. */
function commentsIn(source: ts.SourceFile, declaration: ts.Node): readonly PublicComment[] {
  const comments: PublicComment[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || ts.isClassStaticBlockDeclaration(node)) return
    if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) return
    const docs = ts.getJSDocCommentsAndTags(node).filter((each) => each.parent === node)
    const texts = docs.map((each) => each.getText(source))
    if (texts.some((text) => text.includes('@internal'))) return
    docs.forEach((doc, index) => {
      const { line } = source.getLineAndCharacterOfPosition(doc.getStart(source))
      comments.push({ at: `${source.fileName}:${line + 1}`, text: texts[index]! })
    })
    ts.forEachChild(node, visit)
  }
  visit(declaration)
  return comments
}
