// The names that a source text declares at its top, and the members of its classes as `Class.member`.

import ts from 'typescript'

import { parseSource } from './source.js'

export function declaredNames(file: string, text: string): ReadonlySet<string> {
  const source = parseSource(file, text)
  return new Set(source.statements.flatMap((node) => namesOf(node)))
}

function namesOf(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map((each) => each.name.getText())
  if (ts.isFunctionDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) {
    return node.name === undefined ? [] : [node.name.text]
  }
  if (!ts.isClassDeclaration(node) || node.name === undefined) return []
  const { text } = node.name
  const members = node.members.flatMap((member) => (member.name === undefined ? [] : [member.name.getText()]))
  return [text, ...members.map((member) => `${text}.${member}`)]
}
