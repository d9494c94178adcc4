// scripts/differential.mjs: a build agrees with itself, and a changed one is found with its program.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, describe, expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SCRIPT = path.join(ROOT, 'scripts/differential.mjs')

type Seen = Readonly<{ text: string; other?: string }>

/** The script has no types of its own: the two builds that it compares may differ in theirs. */
type Changes = Readonly<{
  readChanges: (list: string) => unknown
  sameCall: (call: object, scene: object, program: object, changes: unknown) => unknown
  isSameRequest: (format: string, options: object, exported: () => string, changes: unknown) => boolean
  sameOpening: (error: unknown, changes: unknown) => unknown
  sameRowText: (text: string, changes: unknown) => string
  causesByContainer: (diff: unknown, isSecond: boolean, changes: unknown) => unknown
  isAlike: (name: string, seen: readonly [Seen, Seen], isUneven: boolean, changes: unknown) => boolean
}>

async function part<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(path.join(ROOT, 'scripts/differential', name)).href)) as T
}

const { causesByContainer, isAlike, isSameRequest, readChanges, sameCall, sameOpening, sameRowText } =
  await part<Changes>('changes.mjs')
const { hasOpenStep } = await part<Readonly<{ hasOpenStep: (text: string) => boolean }>>('scene.mjs')

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

describe('a change on purpose covers that change alone', () => {
  const all = readChanges('all')
  const none = readChanges('')

  test('content-turns: a container with content becomes a block only under a policy', () => {
    const call = { do: 'edit', method: 'add', args: ['x', { nodeType: 'cont', key: 'k' }] }
    const scene = { nodes: [] }
    const under = (prune: unknown): unknown => sameCall(call, scene, { seed: 1, options: { prune } }, all)
    expect(under({ maxNodes: 9 })).toMatchObject({ args: ['x', { key: 'k' }] })
    expect(under({ maxNodes: 9 })).not.toHaveProperty('args.1.nodeType')
    expect(under(undefined)).toMatchObject({ args: ['x', { nodeType: 'cont' }] })
  })

  test('set-instances: a set in a batch is left out only behind a block of the model', () => {
    const edit = (method: string, ...args: readonly unknown[]): object => ({ do: 'edit', method, args })
    const played = (...calls: readonly object[]): unknown =>
      sameCall({ do: 'batch', calls }, { nodes: [] }, { seed: 0, options: {} }, all)
    const set = edit('set', 'k', 'x', {})
    expect(played(edit('assistant', 'a'), set)).toMatchObject({ calls: [{ method: 'assistant' }] })
    expect(played(set, edit('assistant', 'a'))).toMatchObject({ calls: [{ method: 'set' }, { method: 'assistant' }] })
  })

  test('stand-in-causes: the nodes in a container may have its cause, and no other', () => {
    const diff = (top: string, inner: string): never =>
      ({
        added: [],
        removed: [
          { id: 'box', parent: 'core', cause: top, cycle: 3 },
          { id: 'in', parent: 'box', cause: inner, cycle: 3 },
        ],
      }) as never
    const seen = (value: never, isSecond: boolean): { text: string; other: string } => ({
      text: JSON.stringify(value),
      other: JSON.stringify(causesByContainer(value, isSecond, all)),
    })
    const alike = (before: never, after: never): boolean =>
      isAlike('diffDetailed', [seen(before, false), seen(after, true)], false, all)
    expect(alike(diff('expired', 'redacted'), diff('expired', 'expired'))).toBe(true)
    expect(alike(diff('expired', 'redacted'), diff('expired', 'pruned'))).toBe(false)
    expect(alike(diff('expired', 'redacted'), diff('pruned', 'pruned'))).toBe(false)
    expect(alike(diff('expired', 'expired'), diff('expired', 'redacted'))).toBe(false)
  })

  test('idle-names: only ids that no refs name may be missing', () => {
    const text = (names: string, refs: string): string => `{"id":"b"${names},"x":{"refs":[${refs}]}}`
    const alike = (before: string, after: string, changes = all): boolean =>
      isAlike('export', [{ text: before }, { text: after }], false, changes)
    const names = ',"pact:stands_for":["a"]'
    expect(alike(text(names, '"c"'), text('', '"c"'))).toBe(true)
    expect(alike(text(names, '"c"'), text('', '"c"'), none)).toBe(false)
    expect(alike(text(names, '"a"'), text('', '"a"'))).toBe(false)
    expect(alike(text(names, '"c"'), text('', '"d"'))).toBe(false)
    expect(alike(JSON.stringify(text(names, '"c"')), JSON.stringify(text('', '"c"')))).toBe(true)
  })

  test('rows are left out only once something else was evened out', () => {
    const rows = [{ text: 'a' }, { text: 'b' }] as const
    expect(isAlike('main: commit rows', rows, true, all)).toBe(true)
    expect(isAlike('main: commit rows', rows, false, all)).toBe(false)
    expect(isAlike('main: export @t0', rows, true, all)).toBe(false)
  })

  test('open-steps: a request is left out if a picture follows an open call of an earlier turn', () => {
    const tree = (region: string, ...kinds: readonly string[]): string => {
      const children = kinds.map((kind, id) =>
        kind === 'picture'
          ? { id, nodeType: 'block', role: 'assistant', content: {} }
          : { id, nodeType: 'block', role: 'assistant', kind, data_call_id: 'c', content: {} },
      )
      const segment = { id: 's', nodeType: 'seg', children }
      return JSON.stringify({ root: { nodeType: '^root', children: [{ nodeType: region, children: [segment] }] } })
    }
    expect(hasOpenStep(tree('^seq', 'call', 'picture'))).toBe(true)
    expect(hasOpenStep(tree('^seq', 'picture', 'call'))).toBe(false)
    expect(hasOpenStep(tree('^seq', 'call', 'result', 'picture'))).toBe(false)
    expect(hasOpenStep(tree('^ah', 'call', 'picture'))).toBe(false)
    const isSame = (format: string, repair: boolean): boolean =>
      isSameRequest(format, { repair }, () => tree('^seq', 'call', 'picture'), all)
    expect([isSame('openai-responses', false), isSame('openai-responses', true), isSame('anthropic', false)]).toEqual([
      false,
      true,
      true,
    ])
  })

  test('opening-prose and thinned-bounds: codes, keys and the other details are compared', () => {
    const row = (key: string, code: string, sentence: string): string =>
      `{"opening":{"leftOut":[["${key}","${code}","${sentence}","block:2-0"]]},"hash":0x${'ab'.repeat(32)}}`
    const same = sameRowText(row('k', 'E_ODI_VIOLATION', 'It \\"stands\\" there.'), all)
    expect(same).toBe(sameRowText(row('k', 'E_ODI_VIOLATION', 'It is there.'), all))
    expect(same).not.toBe(sameRowText(row('l', 'E_ODI_VIOLATION', 'It is there.'), all))
    expect(same).not.toBe(sameRowText(row('k', 'E_CADENCE', 'It is there.'), all))
    expect(sameRowText(`{"hash":0x${'ab'.repeat(32)}}`, all)).toContain('abab')

    const refusal = (reason: string): object => ({
      code: 'E_SNAPSHOT_NOT_FOUND',
      details: { cycle: 1, lens: '@t0', newest: 1, oldest: 2, reason },
    })
    expect(sameOpening(refusal('thinned'), all)).toEqual({
      code: 'E_SNAPSHOT_NOT_FOUND',
      details: { cycle: 1, oldest: 2, reason: 'thinned' },
    })
    expect(sameOpening(refusal('dropped'), all)).toEqual(refusal('dropped'))
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
