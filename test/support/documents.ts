// The documents of the project, and the examples in them.

import fs from 'node:fs'
import path from 'node:path'

import { readCommentExamples, readMarkdownExamples, type Example } from './doc-examples.js'

export const ROOT = path.resolve(import.meta.dirname, '../..')

/** Every Markdown document whose links and examples are checked. */
export function findDocuments(): readonly string[] {
  const top = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'bench/history.md',
    'create-pact-agent/README.md',
  ]
  const found = top.filter((file) => fs.existsSync(path.join(ROOT, file)))
  return [...found, ...filesUnder('docs', /\.md$/), ...filesUnder('src', /\.md$/)]
}

/** The examples of all documents and doc comments. */
export function findExamples(): readonly Example[] {
  return [
    ...findDocuments().flatMap((file) => readMarkdownExamples(file, readText(file))),
    ...['src', 'testing']
      .flatMap((folder) => filesUnder(folder, /(?<!\.test)\.ts$/))
      .flatMap((file) => readCommentExamples(file, readText(file))),
  ]
}

export function filesUnder(folder: string, pattern: RegExp): readonly string[] {
  if (!fs.existsSync(path.join(ROOT, folder))) return []
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => pattern.test(file))
    .sort()
}

export function readText(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')
}
