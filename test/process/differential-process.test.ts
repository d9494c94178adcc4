// scripts/differential.mjs: a build agrees with itself, and a changed one is found with its program.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, describe, expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SCRIPT = path.join(ROOT, 'scripts/differential.mjs')

type Report = Readonly<{
  programs: number
  recordings: number
  compared: number
  refused: number
  excluded: number
  differences: readonly Readonly<{
    seed: number
    where: string
    before: string
    after: string
    calls: readonly string[]
  }>[]
}>

describe('the differential law', () => {
  const changed = changedPackage()
  afterAll(() => fs.rmSync(changed, { recursive: true, force: true }))

  test('finds no difference between a build and itself', () => {
    const { status, report } = differential(ROOT, ROOT, '--programs', '30', '--recordings', '12')
    expect(report.differences).toEqual([])
    expect(status).toBe(0)
    expect(report.programs).toBe(30)
    expect(report.recordings).toBe(12)
    expect(report.compared).toBeGreaterThan(2000)
    expect(report.refused).toBeGreaterThan(100)
    expect(report.excluded).toBeGreaterThan(0)
  })

  test('finds a limit that is one too high, and prints a short program for it', () => {
    const { status, report } = differential(ROOT, changed, '--programs', '150', '--recordings', '0')
    expect(status).toBe(1)
    const [found] = report.differences
    expect(found?.before).not.toBe(found?.after)
    expect(found?.calls.length).toBeLessThan(20)
    // The seed is enough to see it again.
    const again = differential(ROOT, changed, '--programs', '1', '--seed', String(found?.seed), '--recordings', '0')
    expect(again.report.differences).toEqual(report.differences.map((each) => ({ ...each, program: 1 })))
  })

  test('evens out changes on purpose, and still finds any other', () => {
    // The places of blocks are evened out by an option of the second build, which the first must not have.
    const changes = namesOfChanges().filter((name) => name !== 'block-places')
    expect(changes.length).toBeGreaterThan(10)
    const args = ['--changes', changes.join(','), '--recordings', '12'] as const
    const same = differential(ROOT, ROOT, ...args, '--programs', '30')
    expect(same.report.differences).toEqual([])
    expect(same.report.compared).toBeGreaterThan(1000)
    expect(differential(ROOT, changed, ...args, '--programs', '150', '--recordings', '0').status).toBe(1)
  })

  test('refuses a change that it does not know', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ROOT, '--changes', 'low-watr'], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('no change low-watr') as unknown })
  })

  test('refuses a folder without a build', () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, os.tmpdir()], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('There is no package.json') as unknown,
    })
  })
})

/** The changes that the help lists. */
function namesOfChanges(): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [SCRIPT, '--help'], { encoding: 'utf8' })
  const [, list] = /\nChanges:\n((?: {2}.*\n)+)/.exec(stdout) ?? []
  return Array.from(list?.matchAll(/^ {2}(\S+)/gm) ?? [], ([, name]) => name!)
}

function differential(
  before: string,
  after: string,
  ...args: readonly string[]
): Readonly<{ status: number | null; report: Report }> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, before, after, '--json', ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  expect(stderr).toBe('')
  return { status, report: JSON.parse(stdout) as Report }
}

/** The package as it is built, except that `maxNodes` allows one node more. */
function changedPackage(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-changed-'))
  const { exports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string } | string>
  }
  const doors: Record<string, { default: string }> = {}
  for (const [door, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    const real = pathToFileURL(path.join(ROOT, target.default)).href
    const file = `./${door.replace('.', 'door').replaceAll('/', '-')}.mjs`
    doors[door] = { default: file }
    const change = door === '.' ? changeOf(real) : ''
    fs.writeFileSync(path.join(folder, file), `export * from ${JSON.stringify(real)}\n${change}`)
  }
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ exports: doors }))
  return folder
}

function changeOf(real: string): string {
  return `import { createContext as make } from ${JSON.stringify(real)}
export function createContext({ prune, ...options }) {
  if (prune?.maxNodes === undefined) return make({ prune, ...options })
  return make({ ...options, prune: { ...prune, maxNodes: prune.maxNodes + 1 } })
}
`
}
