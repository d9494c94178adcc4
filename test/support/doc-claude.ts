// The examples of the documentation that make requests for Claude, to be run with the scripted Claude of `claude-watch.ts`.

import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'

import type { Judged } from './claude-watch.js'
import { makeExampleHome, type Example, type ExampleHome } from './doc-examples.js'

const ENTRIES = ['anthropic', 'ai-sdk', 'bedrock']
const FOLDER = 'claude'

const NAMES = {
  anthropic: ['toAnthropic', 'receiveAnthropic', 'fromAnthropic'],
  'ai-sdk': ['toModelMessages', 'receiveModelMessages', 'fromModelMessages', 'runOn'],
  bedrock: ['toBedrock', 'receiveBedrock', 'fromBedrock'],
}
const CLAUDE = new RegExp(
  `pact-context/(?:${ENTRIES.join('|')})\\b|\\b(?:${Object.values(NAMES).flat().join('|')})\\b|\\brender\\('(?:${ENTRIES.join('|')})'`,
)

/** True for a source that names one of Claude's adapters, or has a server render for it. */
export function asksClaude(source: string): boolean {
  return CLAUDE.test(source)
}

/** A program of examples/ as an example: it does what it does if it is started, in its own process. */
export function programOf(file: string, source: string): Example {
  const names = [...source.matchAll(/^export async function (\w+)/gm)].map(([, name]) => name!)
  // Where `run…` starts processes, which nothing watches, `workOn` is what they do; a function is also taken for options, which it has none of.
  const main = names.includes('workOn')
    ? `workOn('work.db', () => {})`
    : `${names.find((name) => name.startsWith('run'))}(() => {})`
  return { file, line: 1, source: `${source}\nawait ${main}` }
}

export const nameOf = ({ file, line }: Example): string => `${file}:${line}`

/** The example with Claude's adapters watched, and without its arrows: the thoughts add nodes and tokens. With `speaks`, words by hand are Claude's. */
export function watched(example: Example, speaks: boolean): Example {
  const source = example.source
    .replaceAll('→', ':')
    .replaceAll(new RegExp(`from 'pact-context/(${ENTRIES.join('|')})'`, 'g'), `from './${FOLDER}/$1.js'`)
  const before = `import { begin as __begin, end as __end } from './${FOLDER}/claude-watch.js'; __begin('${nameOf(example)}', ${speaks});`
  return { ...example, source: `${before}${source}\nawait __end()` }
}

export type ClaudeHome = ExampleHome & Readonly<{ judged: () => readonly Judged[] }>

/** A folder for examples in which Claude's adapters are watched. */
export function makeClaudeHome(root: string): ClaudeHome {
  const home = makeExampleHome(root)
  const folder = path.join(home.folder, FOLDER)
  fs.mkdirSync(path.join(folder, 'providers'), { recursive: true })
  const write = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text)
  write('package.json', '{"type":"module"}')
  for (const name of ['claude-watch', 'providers/bound-claude']) {
    const source = fs.readFileSync(path.join(import.meta.dirname, `${name}.ts`), 'utf8')
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
    write(`${name}.js`, ts.transpileModule(source, { compilerOptions }).outputText)
  }
  for (const [entry, names] of Object.entries(NAMES)) {
    write(
      `${entry}.js`,
      `export * from 'pact-context/${entry}'\nexport { ${names.join(', ')} } from './claude-watch.js'\n`,
    )
  }
  write('judged.jsonl', '')
  const lines = (): readonly string[] => fs.readFileSync(path.join(folder, 'judged.jsonl'), 'utf8').split('\n')
  return { ...home, judged: () => lines().flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Judged])) }
}
