// The facts about the project that only its owner knows: addresses and an author. scripts/release/project.json has them, and until the project has a home they are
// placeholders (`pact-context-owner`, `pact-context.example`). `npm run release -- --set-project` writes others into every file that names them.

import fs from 'node:fs'
import path from 'node:path'

const FACTS = 'scripts/release/project.json'

/** Every file that names a fact, apart from the facts themselves. A test compares this list with the repository. */
export const FILES = [
  '.github/ISSUE_TEMPLATE/config.yml',
  'CODE_OF_CONDUCT.md',
  'README.md',
  'SECURITY.md',
  'create-pact-agent/package.json',
  'docs/install.md',
  'package.json',
]

const PLACEHOLDER = /pact-context-owner|pact-context\.example/

/** @param {string} root @returns {Record<string, string>} */
export function readProject(root) {
  return JSON.parse(fs.readFileSync(path.join(root, FACTS), 'utf8'))
}

/** The names of facts that are placeholders. @param {Record<string, string>} project */
export function placeholdersIn(project) {
  return Object.keys(project).filter((name) => PLACEHOLDER.test(project[name] ?? ''))
}

/**
 * Replaces facts in all files that name them.
 * @param {string} root
 * @param {readonly string[]} given `name=value`
 * @returns {readonly string[]} the files that changed
 */
export function setProject(root, given) {
  const project = readProject(root)
  const wanted = given.map((each) => {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(each) ?? []
    if (name in project && value !== '') return { name, value: value.replace(/\/+$/, name === 'homepage' ? '/' : '') }
    throw new Error(
      `${JSON.stringify(each)} is no fact: give name=value, with one of ${Object.keys(project).join(', ')}.`,
    )
  })
  return [...FILES, FACTS].filter((file) => {
    const at = path.join(root, file)
    const text = fs.readFileSync(at, 'utf8')
    const changed = wanted.reduce((now, { name, value }) => now.replaceAll(project[name] ?? '', () => value), text)
    if (changed !== text) fs.writeFileSync(at, changed)
    return changed !== text
  })
}
