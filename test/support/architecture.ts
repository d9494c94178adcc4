// Reads the rooms of a source tree against a table of rules and lists what breaks them. It only looks at texts, so that a
// made-up file can show that each rule bites; the table itself is in rooms.ts.

import { packageOf, parseSource, readImports, readStarExports, readUses, resolveRelative } from './source.js'
import type { Import } from './source.js'

/** A file by its path under `src/`, with forward slashes. */
export type SourceText = Readonly<{ path: string; text: string }>

export type Room = Readonly<{
  name: string
  mayImport: readonly string[]
  /** Rooms of which only the types may be imported. */
  typesOf?: readonly string[]
  /** Doors other than `index.js`, by file name, each with the rooms that may use it. */
  doors?: Readonly<Record<string, readonly string[]>>
  /** Folders of the room in order: a file in one imports only from its own folder and those before it, types included. */
  folders?: readonly string[]
  /** External packages, by name. */
  packages?: readonly string[]
  /** Must run where there is no Node: no `node:` modules, nothing taken from its surroundings. */
  browser?: boolean
}>

/** A use that the rules forbid everywhere else; `path` is a file, or a folder when it ends in `/`. */
export type Exception = Readonly<{ path: string; uses: readonly string[]; why: string }>

export type Rules = Readonly<{
  rooms: readonly Room[]
  ambient: readonly string[]
  exceptions: readonly Exception[]
  maxLines: number
}>

export type Rule = 'rooms' | 'doors' | 'folders' | 'packages' | 'browser' | 'ambient' | 'names' | 'length' | 'cycles'

export type Violation = Readonly<{ rule: Rule; at: string; message: string }>

/** The one file outside the rooms: what the package offers. */
export const ENTRY = 'index.ts'

/** Lists every violation, in the order of the files. */
export function checkArchitecture(files: readonly SourceText[], rules: Rules): readonly Violation[] {
  const found: Violation[] = []
  for (const file of files) {
    const lines = file.text.replace(/\n$/, '').split('\n').length
    if (lines > rules.maxLines) {
      found.push({ rule: 'length', at: file.path, message: `has ${lines} lines; the limit is ${rules.maxLines}` })
    }
    // A test may reach across rooms, read the clock and use its own tools.
    if (isTest(file.path)) continue
    const source = parseSource(file.path, file.text)
    for (const line of readStarExports(source)) {
      found.push({ rule: 'names', at: `${file.path}:${line}`, message: 'exports `*`; list the names' })
    }
    const room = rules.rooms.find((each) => each.name === roomOf(file.path))
    if (room === undefined && file.path !== ENTRY) {
      found.push({ rule: 'rooms', at: file.path, message: 'lies in no room of the table' })
      continue
    }
    for (const each of readImports(source)) {
      for (const [rule, message] of checkImport(file.path, each, room, rules)) {
        found.push({ rule, at: `${file.path}:${each.line}`, message })
      }
    }
    if (room !== undefined && room.browser !== true) continue
    for (const use of readUses(source)) {
      const forbidden = rules.ambient.find((name) => covers(name, use.name))
      if (forbidden === undefined || isExcepted(file.path, use.name, rules.exceptions)) continue
      found.push({ rule: 'ambient', at: `${file.path}:${use.line}`, message: `uses ${use.name}` })
    }
  }
  return [...found, ...findCycles(files)]
}

/** Lists the exceptions whose file is there but no longer needs them. */
export function findIdleExceptions(files: readonly SourceText[], rules: Rules): readonly string[] {
  const idle = rules.exceptions.filter((exception) => {
    const texts = files.filter((file) => isAt(file.path, exception.path) && !isTest(file.path))
    const uses = texts.flatMap((file) => readUses(parseSource(file.path, file.text)))
    return texts.length > 0 && !uses.some((use) => exception.uses.some((name) => covers(name, use.name)))
  })
  return idle.map((exception) => `${exception.path} no longer uses ${exception.uses.join(', ')}`)
}

/** Lists what one import breaks; `room` is undefined for the package entry, which may import every room. */
function checkImport(file: string, each: Import, room: Room | undefined, rules: Rules): (readonly [Rule, string])[] {
  const { specifier } = each
  if (specifier === '*') return [['rooms', 'imports a computed name, which no check can follow']]
  if (specifier.startsWith('node:')) {
    return room === undefined || room.browser === true ? [['browser', `imports ${specifier}`]] : []
  }
  if (!specifier.startsWith('.')) {
    const name = packageOf(specifier)
    return room?.packages?.includes(name) === true ? [] : [['packages', `imports the package ${name}`]]
  }
  const target = resolveRelative(file, specifier)
  const targetRoom = roomOf(target)
  if (room !== undefined && targetRoom === room.name) return checkFolders(file, target, room)
  if (!rules.rooms.some((known) => known.name === targetRoom)) {
    return [['rooms', `imports ${specifier}, which is no room of the table`]]
  }
  const problems: (readonly [Rule, string])[] = []
  const typesOnly = room?.typesOf?.includes(targetRoom) === true
  if (typesOnly && each.kind !== 'type') problems.push(['rooms', `imports more than types from ${targetRoom}`])
  else if (room !== undefined && !typesOnly && !room.mayImport.includes(targetRoom)) {
    problems.push(['rooms', `imports the room ${targetRoom}`])
  }
  const doors = rules.rooms.find((known) => known.name === targetRoom)?.doors ?? {}
  const isOtherDoor = Object.entries(doors).some(([name, rooms]) => {
    return target === `${targetRoom}/${name}.js` && room !== undefined && rooms.includes(room.name)
  })
  if (target !== `${targetRoom}/index.js` && !isOtherDoor) {
    problems.push(['doors', `imports ${specifier}, past ${targetRoom}/index.js`])
  }
  return problems
}

/** Lists an import of a folder that comes later in the room, or of the door of the room. */
function checkFolders(file: string, target: string, { folders }: Room): (readonly [Rule, string])[] {
  const from = folders?.indexOf(file.split('/')[1]!) ?? -1
  if (folders === undefined || from < 0) return []
  const to = folders.indexOf(target.split('/')[1]!)
  return to >= 0 && to <= from ? [] : [['folders', `imports ${target}, which comes after ${folders[from]}/`]]
}

/** Finds files of one room that need each other while they load; type-only and dynamic imports do not. */
function findCycles(files: readonly SourceText[]): readonly Violation[] {
  const needs = new Map<string, readonly string[]>()
  for (const file of files.filter((each) => !isTest(each.path))) {
    const inside = readImports(parseSource(file.path, file.text))
      .filter((each) => each.kind === 'value' && each.specifier.startsWith('.'))
      .map((each) => resolveRelative(file.path, each.specifier).replace(/\.js$/, '.ts'))
      .filter((target) => roomOf(target) === roomOf(file.path))
    needs.set(file.path, inside)
  }
  const found: Violation[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      const loop = [...trail.slice(trail.indexOf(file)), file]
      found.push({ rule: 'cycles', at: file, message: `loads itself: ${loop.join(' → ')}` })
      return
    }
    if (done.has(file)) return
    for (const next of needs.get(file) ?? []) visit(next, [...trail, file])
    done.add(file)
  }
  for (const file of needs.keys()) visit(file, [])
  return found
}

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : ''
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** `process` covers `process`, `process.env` and `process.exit()`; `Date()` covers only the call. */
function covers(name: string, use: string): boolean {
  return use === name || use === `${name}()` || use.startsWith(`${name}.`)
}

function isExcepted(file: string, use: string, exceptions: readonly Exception[]): boolean {
  return exceptions.some((each) => isAt(file, each.path) && each.uses.some((name) => covers(name, use)))
}

function isAt(file: string, place: string): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place
}
