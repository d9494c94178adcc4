// The same at each system call that writes: strace lets the n-th one kill the process, fail, or find the disk full. Needs strace, and
// tells where there is none.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

import { Child, each } from './children.mjs'
import { OPTIONS, scratch, storeAt } from './files.mjs'
import { Witness } from './witness.mjs'

/** The system calls with which SQLite writes. */
const WRITES = ['pwrite64', 'pwritev', 'fsync', 'fdatasync', 'ftruncate', 'fallocate', 'unlink', 'unlinkat']
const STRACE = ['strace', '-f', '-q']
/** Faster, but signals are then not injected. */
const FAST = '--seccomp-bpf'

/** @typedef {'signal=KILL' | 'error=EIO' | 'error=ENOSPC'} Fault */

/** Why it cannot be done here; undefined where it can. */
export function whyNoStrace() {
  const { status, error, stderr } = spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=fsync', 'true'], {
    encoding: 'utf8',
  })
  if (status === 0) return undefined
  return error === undefined ? `strace cannot be used here: ${stderr.trim()}` : 'strace is not installed'
}

/**
 * Lets every call of a program fail that falls into its steps, or one in `oneIn` except for those of a few.
 * @param {{ faults: readonly Fault[], oneIn?: number, thorough?: readonly string[], atOnce?: number, deadline?: number, node?: string | undefined }} settings
 */
export async function failEachCall({ faults, oneIn = 1, thorough = [], atOnce = 2, deadline = Infinity, node }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const done = { calls: 0, injected: 0, killed: 0, unknown: 0, failed: 0, silent: 0 }
  /** @type {Record<string, number>} */
  const steps = {}
  try {
    const base = file('base.db')
    await makeBase(base)
    const calls = await callsOf(base, file, node)
    done.calls = calls.length
    const cases = faults
      .flatMap((fault) => calls.map((call) => ({ fault, ...call })))
      .filter(({ step }, i) => thorough.includes(step) || i % oneIn === 0)
    await each(cases.length, atOnce, async (n) => {
      const entry = cases[n]
      if (entry === undefined) return
      const { fault, call, when, step } = entry
      // A file is not removed for want of room.
      if (performance.now() >= deadline || (fault === 'error=ENOSPC' && call.startsWith('unlink'))) return
      const [path, log] = [file(`${n}.db`), file(`${n}.log`)]
      fs.copyFileSync(base, path)
      const inject = [
        ...(fault === 'signal=KILL' ? [] : [FAST]),
        '-o',
        log,
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:${fault}:when=${when}`,
      ]
      const child = new Child('steps', { file: path }, { node, before: [...STRACE, ...inject] })
      const { lines, errors } = await child.ended
      const label = `${call} number ${when} (${step}), ${fault}`
      const text = fs.readFileSync(log, 'utf8')
      const isKilled = text.includes('killed by SIGKILL')
      const isInjected = fault === 'signal=KILL' ? isKilled : text.includes('(INJECTED)')
      if (isInjected) done.injected++
      // The number of pages in the log at the end depends on the salts, which are others in every run.
      else if (step !== 'close') failures.push(`${label}: nothing was injected.`)
      steps[step] = (steps[step] ?? 0) + 1
      if (isKilled) done.killed++
      else failures.push(...endingOf(lines, errors, done).map((each) => `${label}: ${each}`))
      const witness = new Witness()
      // Work of unknown outcome may have been written, and was then done again.
      const held = [...witness.take(lines), ...(await witness.check(path, { more: 1, from: BASE }))]
      failures.push(...held.map((each) => `${label}: ${each}`))
      for (const each of [path, `${path}-wal`, `${path}-shm`, log]) fs.rmSync(each, { force: true })
    })
    return { ...done, steps, failures }
  } finally {
    remove()
  }
}

/** The calls of a store that read much. */
export const READING = 'open openAt loadHistory list fork put delete erase retain fsck'.split(' ')

/**
 * Lets the disk fail to read, once or from then on: the store reports a read fault, and never damage.
 * @param {{ oneIn?: number, atOnce?: number, deadline?: number, node?: string | undefined }} [settings]
 */
export async function failReads({ oneIn = 1, atOnce = 2, deadline = Infinity, node } = {}) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const done = { reads: 0, injected: 0, told: 0, healed: 0 }
  const run = async (
    /** @type {string} */ path,
    /** @type {string} */ call,
    /** @type {readonly string[]} */ inject,
  ) => {
    const log = `${path}.log`
    fs.copyFileSync(file('base.db'), path)
    const trace = [FAST, '-o', log, '-P', path, '-P', `${path}-wal`, '-e', 'trace=pread64', ...inject]
    const { lines, errors } = await new Child('reads', { file: path, call }, { node, before: [...STRACE, ...trace] })
      .ended
    const text = fs.readFileSync(log, 'utf8')
    for (const each of [path, `${path}-wal`, `${path}-shm`, log]) fs.rmSync(each, { force: true })
    if (lines.at(-1)?.say !== 'end') failures.push(`${call}: It did not come to its end: ${errors}`)
    return { lines, text }
  }
  try {
    await makeBase(file('base.db'))
    /** @type {{ call: string, when: string }[]} */
    const cases = []
    for (const call of READING) {
      const { text } = await run(file(`${call}.db`), call, [])
      const reads = text.match(/pread64\(/g)?.length ?? 0
      done.reads += reads
      for (let n = 1; n <= reads; n++) for (const more of ['', '+']) cases.push({ call, when: `${n}${more}` })
    }
    const chosen = cases.filter((_, i) => i % oneIn === 0)
    await each(chosen.length, atOnce, async (n) => {
      const { call, when } = chosen[n] ?? { call: '', when: '' }
      if (performance.now() >= deadline) return
      const { lines, text } = await run(file(`${n}.db`), call, ['-e', `inject=pread64:error=EIO:when=${when}`])
      if (text.includes('(INJECTED)')) done.injected++
      const label = `${call}, read ${when}`
      const faults = lines.filter(({ say }) => say === 'fault')
      if (faults.length === 0) done.healed++
      else done.told++
      for (const { code, reason, text: said } of faults)
        if (code !== 'E_STORE' || reason !== 'io') failures.push(`${label}: ${said}`)
      for (const problem of lines.filter(({ say }) => say === 'problem'))
        failures.push(`${label}: fsck finds ${JSON.stringify(problem)}`)
    })
    return { ...done, failures }
  } finally {
    remove()
  }
}

/** The number of commits that are there before. */
const BASE = 9

/** @param {string} path */
async function makeBase(path) {
  const store = storeAt(path)
  const ctx = await store.open('main', OPTIONS)
  for (let n = 0; n < BASE; n++) {
    ctx.user(`before ${n}`)
    await ctx.commit()
  }
  await store.close()
}

/**
 * The calls that the program makes in its steps, and the number of each.
 * @param {string} base
 * @param {(name: string) => string} file
 * @param {string | undefined} node
 */
async function callsOf(base, file, node) {
  const [path, log] = [file('plain.db'), file('plain.log')]
  fs.copyFileSync(base, path)
  const trace = [FAST, '-o', log, '-s', '64', '-e', `trace=write,${WRITES.join(',')}`]
  const { lines, errors } = await new Child('steps', { file: path }, { node, before: [...STRACE, ...trace] }).ended
  if (lines.at(-1)?.say !== 'end') throw new Error(`The program does not come to its end: ${errors}`)
  /** @type {Map<string, number>} */
  const counts = new Map()
  let step = ''
  /** @type {{ call: string, when: number, step: string }[]} */
  const calls = []
  for (const line of fs.readFileSync(log, 'utf8').split('\n')) {
    const begun = /write\(1, "\{\\"say\\":\\"begin\\",\\"step\\":\\"(\w+)/.exec(line)
    if (begun !== null) step = begun[1] ?? ''
    const call = /^\d+ +(\w+)\(/.exec(line)?.[1]
    if (call === undefined || !WRITES.includes(call)) continue
    const when = (counts.get(call) ?? 0) + 1
    counts.set(call, when)
    if (step !== '') calls.push({ call, when, step })
  }
  return calls
}

/**
 * The lines after an error: what the program saw, and how it ended.
 * @param {readonly import('./children.mjs').Line[]} lines
 * @param {string} errors
 * @param {{ unknown: number, failed: number, silent: number }} done
 */
function endingOf(lines, errors, done) {
  const told = lines.filter(({ say }) => say === 'fault')
  if (told.length === 0) done.silent++
  for (const { outcome } of told) {
    if (outcome === 'unknown') done.unknown++
    else done.failed++
  }
  const wrong = told.filter(
    ({ code, text, reason }) => code !== 'E_STORE' || !/^E_STORE: [A-Z].*\. /.test(text ?? '') || reason === 'driver',
  )
  const failures = wrong.map(({ text }) => `It was told otherwise than it should: ${text}`)
  if (lines.at(-1)?.say !== 'end') failures.push(`It did not come to its end: ${errors}`)
  const last = ['commit', 'keyed', 'attempt', 'packing'].filter(
    (name) => !lines.some(({ say, step }) => say === 'commit' && step === name),
  )
  return [...failures, ...last.map((name) => `The step ${name} was not done in the end.`)]
}
