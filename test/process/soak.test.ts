// The long runs of `npm run soak`, short: what they say about a curve, and that a run holds its checks and can be repeated.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { verdictOf } from '../../scripts/soak/curve.mjs'
import { inTurn, lawFiles } from '../../scripts/soak/laws.mjs'

const ROOT = path.resolve(import.meta.dirname, '../..')

describe('the verdict on a curve', () => {
  /** Fifty points over a million commits. */
  function curve(heapAt: (commits: number) => number): Parameters<typeof verdictOf>[0] {
    return Array.from({ length: 50 }, (_, i) => ({ commits: (i + 1) * 20_000, heap: heapAt((i + 1) * 20_000) }))
  }
  const noise = (commits: number): number => (((commits / 20_000) * 7919) % 11 < 5 ? 0.3 : -0.3)

  it.each<[string, (commits: number) => number]>([
    ['stays where it is', () => 20],
    ['scatters', (commits) => 20 + noise(commits)],
    ['falls', (commits) => 40 - commits / 1e5],
    ['rises while bounded memories fill', (commits) => 20 - 10 * Math.exp(-commits / 5e4)],
  ])('is flat where memory %s', (_, heapAt) => {
    expect(verdictOf(curve(heapAt)).flat).toBe(true)
  })

  it.each<[string, (commits: number) => number]>([
    ['ten bytes a commit', (commits) => 20 + commits * 10e-6],
    ['ten bytes a commit, among noise', (commits) => 20 + commits * 10e-6 + noise(commits)],
    ['less and less, without end', (commits) => Math.sqrt(commits)],
  ])('is not flat where memory grows: %s', (_, heapAt) => {
    expect(verdictOf(curve(heapAt)).flat).toBe(false)
  })

  it('tells the growth in MB a million commits', () => {
    expect(verdictOf(curve((commits) => 20 + commits * 3e-6)).growth).toBeCloseTo(3)
  })
})

describe('a run', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/soak.mjs', ...args], { cwd: ROOT, encoding: 'utf8' })
  type Result = { commits: number; points: { nodes: number; snapshots: number }[]; edits: Record<string, number> }

  it('holds its checks, and plays the same again with the same seed', () => {
    const [first, second] = [1, 2].map(() => {
      const { stdout, stderr } = run('--commits', '60', '--seed', '7', '--history', '20', '--json')
      expect(stderr).not.toContain('Error')
      const { commits, points, edits } = JSON.parse(stdout) as Result
      return { commits, edits, points: points.map(({ nodes, snapshots }) => ({ nodes, snapshots })) }
    })
    expect(first).toEqual(second)
    expect(first!.commits).toBe(60)
    expect(first!.points.at(-1)).toMatchObject({ snapshots: 20 })
    expect(Object.keys(first!.edits).length).toBeGreaterThan(5)
  })

  it('stops when its minutes are over, and says that this is too early to tell', () => {
    const { status, stdout } = run('--commits', '1000000', '--minutes', '0.001')
    expect(stdout).toContain('too early')
    expect(status).toBe(0)
  })

  it('says what it takes', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--commits N') })
    expect(run('--commits', 'many')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--commits is a whole'),
    })
    expect(run('--comits', '5')).toMatchObject({ status: 2, stderr: expect.stringContaining('--comits') })
  })
})

it('the laws that run wider are those whose counts can be made wider', () => {
  expect(lawFiles()).toEqual(
    expect.arrayContaining([
      'test/laws/selector-oracle.test.ts',
      'test/laws/editing-laws-1.0.test.ts',
      'test/laws/history-laws.test.ts',
    ]),
  )
})

describe('the order of the laws', () => {
  it('is the same for the same commit, and has all of them', () => {
    const files = lawFiles()
    expect(inTurn(files, 'a')).toEqual(inTurn(files, 'a'))
    expect(inTurn(files, 'a')).not.toEqual(inTurn(files, 'b'))
    expect(inTurn(files, 'a').toSorted()).toEqual(files.toSorted())
  })

  it('brings each of them into the first half within a few commits', () => {
    const files = lawFiles()
    const half = Math.floor(files.length / 2)
    const orders = Array.from({ length: 200 }, (_, turn) => inTurn(files, `commit ${turn}`))
    const waits = files.map((file) => {
      const turns = orders.map((order) => order.indexOf(file) < half)
      // The number of commits it waits at the longest, and how often it comes.
      const longest = Math.max(...turns.map((_, i) => turns.slice(i).indexOf(true)))
      return { longest, share: turns.filter(Boolean).length / turns.length }
    })
    for (const { longest, share } of waits) {
      expect(longest).toBeLessThan(20)
      expect(share).toBeGreaterThan(0.3)
    }
  })
})
