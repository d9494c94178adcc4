// The table of rooms (test/support/rooms.ts), read against every import under src/.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { checkArchitecture, findIdleExceptions } from '../support/architecture.js'
import type { Rule, Rules, SourceText } from '../support/architecture.js'
import { RULES } from '../support/rooms.js'
import { parseSource, readImports } from '../support/source.js'

const ROOT = path.resolve(import.meta.dirname, '../..')

describe('the rooms under src/', () => {
  const files = readSources()
  const violations = checkArchitecture(files, RULES)
  const brokenBy = (rule: Rule) =>
    violations.filter((each) => each.rule === rule).map((each) => `${each.at} ${each.message}`)

  const STATEMENTS: readonly (readonly [Rule, string])[] = [
    ['rooms', 'each room imports only the rooms named beside it in the table, types included'],
    ['doors', 'another room is entered through its index.js, or a door that the table opens for the room'],
    ['folders', 'folders of a room that are in an order import only those before them'],
    ['packages', 'a room imports only the external packages named in the table'],
    ['browser', 'rooms that run in a browser, and the entry, import no node: module'],
    [
      'ambient',
      'rooms that run in a browser take no time, chance, environment, locale, Unicode version or output from around them',
    ],
    ['names', 'exports are listed by name'],
    ['cycles', 'no two files of a room need each other while they load'],
    ['length', `no file is longer than ${RULES.maxLines} lines`],
  ]
  test.each(STATEMENTS)('%s: %s', (rule) => {
    expect(brokenBy(rule)).toEqual([])
  })

  test('every room with files has an index.ts as its door', () => {
    const rooms = new Set(files.filter((file) => file.path.includes('/')).map((file) => file.path.split('/')[0]!))
    const closed = [...rooms].filter((room) => !files.some((file) => file.path === `${room}/index.ts`))
    expect(closed).toEqual([])
  })

  test('no compiled file lies beside its source, where it would be loaded in its place', () => {
    const compiled = ['src', 'testing', 'test'].flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(d\.ts|js|js\.map)$/.test(file) && !file.includes('node_modules'))
        .map((file) => `${folder}/${file}`),
    )
    expect(compiled).toEqual([])
  })

  test('the ordered folders of a room are all its folders', () => {
    const wrong = RULES.rooms.filter(({ name, folders }) => {
      const there = new Set(
        files.flatMap(({ path: file }) => (file.startsWith(`${name}/`) ? (file.split('/').slice(1, -1)[0] ?? []) : [])),
      )
      return folders !== undefined && [...there].toSorted().join() !== folders.toSorted().join()
    })
    expect(wrong).toEqual([])
  })

  test('an exception that no file needs any more is taken out of the list', () => {
    expect(findIdleExceptions(files, RULES)).toEqual([])
  })
})

describe('the contracts in testing/', () => {
  const files = readSources('testing')

  test('import only what every user of the package can import', () => {
    const others = files.flatMap(({ path: file, text }) =>
      readImports(parseSource(file, text))
        .map(({ specifier }) => specifier)
        .filter((specifier) => !/^(?:pact-context(?:\/store)?$|node:|\.\/[\w-]+\.js$)/.test(specifier))
        .map((specifier) => `${file} ${specifier}`),
    )
    expect(files.length).toBeGreaterThan(10)
    expect(others).toEqual([])
  })

  test(`no file is longer than ${RULES.maxLines} lines`, () => {
    expect(files.filter(({ text }) => text.split('\n').length - 1 > RULES.maxLines)).toEqual([])
  })
})

describe('the table', () => {
  test('a room imports only rooms that stand above it, so rooms form no cycle', () => {
    const names = RULES.rooms.map((room) => room.name)
    const upward = RULES.rooms.flatMap((room, index) =>
      [...room.mayImport, ...(room.typesOf ?? [])].filter((name) => !names.slice(0, index).includes(name)),
    )
    expect(upward).toEqual([])
  })

  test('a room that runs in a browser imports only rooms that do', () => {
    const browser = new Set(RULES.rooms.filter((room) => room.browser).map((room) => room.name))
    const others = [...browser].flatMap((name) => roomNamed(name).mayImport.filter((each) => !browser.has(each)))
    expect(others).toEqual([])
  })
})

describe('the checker finds a made-up violation', () => {
  const CASES: readonly (readonly [path: string, text: string, rules: readonly Rule[]])[] = [
    ['core/a.ts', `import { x } from '../codec/index.js'`, ['rooms']],
    ['core/a.ts', `import type { X } from '../codec/index.js'`, ['rooms']],
    ['core/a.ts', `export { x } from '../codec/index.js'`, ['rooms']],
    ['core/a.ts', `export type X = import('../codec/index.js').X`, ['rooms']],
    ['core/a.ts', `const x = await import('../codec/index.js')`, ['rooms']],
    ['core/a.ts', `const x = await import(name)`, ['rooms']],
    ['core/a.ts', `import { x } from '../index.js'`, ['rooms']],
    ['core/deep/a.ts', `import { x } from '../../codec/index.js'`, ['rooms']],
    ['core/a.ts', `import { x } from '../errors/codes.js'`, ['doors']],
    ['core/a.ts', `import { x } from '../errors/deep/index.js'`, ['doors']],
    ['core/a.ts', `import { x } from '../errors/index.js'`, []],
    ['core/a.ts', `import { x } from './deep/b.js'`, []],
    ['store/a.ts', `import { x } from '../context/persistence.js'`, []],
    ['commands/a.ts', `import { x } from '../context/persistence.js'`, ['doors']],
    ['query/search/a.ts', `import { x } from '../plan/b.js'`, []],
    ['query/match/a.ts', `import { x } from './b.js'`, []],
    ['query/index.ts', `export { x } from './search/b.js'`, []],
    ['query/plan/a.ts', `import type { X } from '../search/b.js'`, ['folders']],
    ['query/match/a.ts', `import { x } from '../memory/b.js'`, ['folders']],
    ['query/plan/a.ts', `import { x } from '../index.js'`, ['folders']],
    ['index.ts', `export { x } from './context/persistence.js'`, ['doors']],
    ['index.ts', `export { x } from './context/index.js'`, []],
    ['index.ts', `export { x } from './context/context.js'`, ['doors']],
    ['index.ts', `export * from './context/index.js'`, ['names']],
    ['core/index.ts', `export * from './a.js'`, ['names']],
    ['core/index.ts', `export * as orders from './a.js'`, []],
    ['utils/a.ts', `export const x = 1`, ['rooms']],
    ['other.ts', `export const x = 1`, ['rooms']],
    ['client/a.ts', `import type { X } from '../edit/index.js'`, []],
    ['client/a.ts', `import { x } from '../edit/index.js'`, ['rooms']],
    ['core/a.ts', `import { sha256 } from '@noble/hashes/sha2.js'`, ['packages']],
    ['core/a.ts', `import fs from 'fs'`, ['packages']],
    ['core/a.ts', `import { x } from 'pact-context'`, ['packages']],
    ['codec/a.ts', `import { sha256 } from '@noble/hashes/sha2.js'`, []],
    ['codec/a.ts', `import { hash } from 'node:crypto'`, ['browser']],
    ['store/a.ts', `import fs from 'node:fs'`, []],
    ['edit/a.ts', `const now = Date.now()`, ['ambient']],
    ['edit/a.ts', `const now = globalThis.Date['now']()`, ['ambient']],
    ['edit/a.ts', `const now = new Date()`, ['ambient']],
    ['edit/a.ts', `const { now } = performance`, ['ambient']],
    ['edit/a.ts', `const x = Math.random`, ['ambient']],
    ['edit/a.ts', `const x = process.env['HOME']`, ['ambient']],
    ['edit/a.ts', `names.map(String).sort((a, b) => a.localeCompare(b))`, ['ambient']],
    ['edit/a.ts', `const x = /^\\p{L}$/u`, ['ambient']],
    ['edit/a.ts', `const x = new RegExp('[^\\\\P{Lu}]', 'u')`, ['ambient']],
    ['edit/a.ts', 'const x = (y: string) => new RegExp(`\\\\p{L}${y}`, "u")', ['ambient']],
    ['edit/a.ts', `const x = 'é'.normalize('NFC')`, ['ambient']],
    ['edit/a.ts', `// not \\p{L}\nconst x = /p{2}/`, []],
    ['cli/a.ts', `const x = /^\\p{L}$/u`, []],
    ['core/one-line.ts', `const x = /^\\p{L}$/u`, []],
    ['edit/a.ts', `console.log('here')`, ['ambient']],
    ['edit/a.ts', `const x = () => ({ console })`, ['ambient']],
    ['edit/a.ts', `// Date.now() and console.log\nconst x = 'Math.random()'`, []],
    ['edit/a.ts', `type X = Date; const x = (d: { process: number }) => d.process + Number(d instanceof Date)`, []],
    ['edit/a.test.ts', `const now = Date.now()`, []],
    ['store/a.ts', `const now = Date.now()`, []],
    ['context/a.ts', `const now = Date.now()`, []],
    ['context/a.ts', `const x = Math.random()`, ['ambient']],
    ['codec/sha256.ts', `const c = (globalThis as G).process?.getBuiltinModule?.('node:crypto')`, []],
    ['codec/sha256.ts', `const x = Math.random()`, ['ambient']],
    ['core/a.ts', `${'\n'.repeat(449)}const x = 1\n`, []],
    ['core/a.ts', `${'\n'.repeat(450)}const x = 1\n`, ['length']],
    ['core/a.ts', `import { x } from './a.js'`, ['cycles']],
  ]
  const named = CASES.map(([file, text, rules]) => {
    const title = `${file}: ${text.trim()} breaks ${rules.join(' ') || 'nothing'}`
    return [title.replaceAll('\n', ' '), file, text, rules] as const
  })
  test.each(named)('%s', (_, file, text, rules) => {
    const found = checkArchitecture([{ path: file, text }], RULES)
    expect(found.map((each) => each.rule)).toEqual(rules)
  })

  test('a load cycle over three files is named once; type-only and dynamic imports close none', () => {
    const loop = (last: string): SourceText[] => [
      { path: 'core/a.ts', text: `import { b } from './b.js'` },
      { path: 'core/b.ts', text: `import { c } from './c.js'` },
      { path: 'core/c.ts', text: last },
    ]
    const found = checkArchitecture(loop(`import { a } from './a.js'`), RULES)
    expect(found.map((each) => each.message)).toEqual(['loads itself: core/a.ts → core/b.ts → core/c.ts → core/a.ts'])
    expect(checkArchitecture(loop(`import type { A } from './a.js'`), RULES)).toEqual([])
    expect(checkArchitecture(loop(`const a = () => import('./a.js')`), RULES)).toEqual([])
  })

  test('an idle exception is named', () => {
    const files = [{ path: 'codec/sha256.ts', text: 'export const x = 1' }]
    expect(findIdleExceptions(files, RULES)).toEqual(['codec/sha256.ts no longer uses process'])
  })
})

function readSources(folder = 'src'): SourceText[] {
  const root = path.join(ROOT, folder)
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?tsx?$/.test(file))
    .map((file) => ({ path: file.replaceAll('\\', '/'), text: fs.readFileSync(path.join(root, file), 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function roomNamed(name: string): Rules['rooms'][number] {
  return RULES.rooms.find((room) => room.name === name)!
}
