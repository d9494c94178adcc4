// docs/architecture.md leads somewhere: the files it names exist, what it names right behind a file is declared in that file,
// and its table of rooms is the one that the imports are checked against.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { declaredNames } from '../support/declared-names.js'
import type { Room } from '../support/architecture.js'
import { RULES } from '../support/rooms.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8').replaceAll('\r\n', '\n')

describe('docs/architecture.md', () => {
  const named = readNamed(PAGE)
  const missing = findMissing(named, readFile)

  test('names files in all six walks', () => {
    const walks = PAGE.split('\n## ').filter((section) => section.startsWith('Walk '))
    expect(walks.map((walk) => readNamed(walk).length > 5)).toEqual([true, true, true, true, true, true])
  })

  test('names only files and declarations that exist', () => {
    expect(missing).toEqual([])
  })

  test('has the rooms of the table, each with what it may import', () => {
    const rows = readTable(PAGE).map(({ room, imports }) => `${room}: ${imports}`)
    expect(rows).toEqual(RULES.rooms.map((room) => `${room.name}: ${importsOf(room)}`))
  })

  test('names the door of each room that is built, and of no other', () => {
    const doors = readTable(PAGE).map(({ door }) => door)
    const expected = RULES.rooms.map(({ name }) => {
      return readFile(`${name}/index.ts`) === undefined ? 'not built' : `\`${name}/index.ts\``
    })
    expect(doors).toEqual(expected)
  })
})

const READMES = RULES.rooms.map(({ name }) => `${name}/README.md`).filter((file) => readFile(file) !== undefined)

test.each(READMES)('src/%s names only files that exist, of its room, of src or of the repository', (readme) => {
  const places = [path.dirname(readme), '.', '..'].map((place) => path.join(ROOT, 'src', place))
  const files = readNamed(readFile(readme)!).map(({ file }) => file)
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !places.some((place) => fs.existsSync(path.join(place, file))))).toEqual([])
})

describe('the check finds a made-up fault', () => {
  const files: Record<string, string> = {
    'core/a.ts': 'export function one() {}\nexport class Two { three() {}\n #four = 1 }\nconst five = 5\ntype Six = 6',
    'test/b.ts': '',
  }
  const faultsOf = (page: string): readonly string[] => findMissing(readNamed(page), (file) => files[file])

  test('a file, or a name right behind one, that is not there', () => {
    expect(faultsOf('`core/gone.ts` and `core/a.ts` `one`, `gone`, `Two.three` and `Two.gone` do.')).toEqual([
      'core/gone.ts',
      'core/a.ts gone',
      'core/a.ts Two.gone',
    ])
  })

  test('what is there, over line ends, and what stands apart from a file', () => {
    expect(
      faultsOf('1. `core/a.ts`\n   `one` (`Two`, `core/a.ts` `five`,\n   `Six`), then `anything` at all.'),
    ).toEqual([])
    expect(faultsOf('`test/b.ts` shows `ctx.user(1)`.')).toEqual([])
  })
})

/** A file in backticks, with the names in backticks that follow it, parted by nothing but spaces, commas and "and". */
type Named = Readonly<{ file: string; names: readonly string[] }>

function readNamed(markdown: string): readonly Named[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '')
  const mentions = prose.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.(?:ts|mjs))`((?:(?:,|,? and)?\s+`[A-Za-z_][\w.#]*`)*)/g)
  return Array.from(mentions, ([, file = '', rest = '']) => ({
    file,
    names: Array.from(rest.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
  }))
}

function findMissing(named: readonly Named[], read: (file: string) => string | undefined): readonly string[] {
  const missing = named.flatMap(({ file, names }) => {
    const text = read(file)
    if (text === undefined) return [file]
    const declared = names.length === 0 ? undefined : declaredNames(file, text)
    return names.filter((name) => !declared!.has(name)).map((name) => `${file} ${name}`)
  })
  return [...new Set(missing)]
}

/** Files are relative to src/, but for those of the tests and the contracts. */
function readFile(file: string): string | undefined {
  const full = path.join(ROOT, /^test(?:ing)?\//.test(file) ? '' : 'src', file)
  return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : undefined
}

type Row = Readonly<{ room: string; imports: string; door: string }>

function readTable(markdown: string): readonly Row[] {
  const [, section = ''] = markdown.split('\n## The rooms\n')
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const rows = table.split('\n').slice(2).filter(Boolean)
  return rows.map((row) => {
    const [, room = '', , imports = '', door = ''] = row.split('|').map((cell) => cell.trim())
    return { room, imports, door }
  })
}

function importsOf({ mayImport, typesOf, packages }: Room): string {
  const parts = [
    mayImport.length === 0 ? 'none' : mayImport.join(', '),
    ...(typesOf ?? []).map((room) => `types of ${room}`),
    ...(packages ?? []).map((name) => `package ${name}`),
  ]
  return parts.join('; ')
}
