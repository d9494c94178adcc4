// The same history compared in other processes, time zones and locales gives the same bytes: of diffs, of detailed diffs,
// and of ranges with their content diffs (D37, D39).

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import * as pact from 'pact-context'
import { build } from 'vite'
import { expect, test } from 'vitest'

import { DIALECTS } from '../support/context.js'

const ROOT = new URL('../../', import.meta.url)

const PLACES = [
  ['Asia/Kathmandu', 'tr_TR.UTF-8'],
  ['America/St_Johns', 'sv_SE.UTF-8'],
  ['Pacific/Apia', 'de_DE@euro'],
] as const

test('gives the same diffs and ranges in another process, time zone and locale (D37, 06 §7)', async () => {
  const texts = DIALECTS.flatMap((dialect) => comparisons(pact, dialect))
  const expected = texts.map(hash)
  expect(new Set(expected).size).toBeGreaterThan(150)
  expect(texts.filter((text) => text.includes('"content_diff"')).length).toBeGreaterThan(10)
  const cache = new URL('node_modules/.cache/', ROOT)
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(fileURLToPath(new URL('diffs-', cache)))
  try {
    const file = `${folder}/program.mjs`
    await bundleSources(folder)
    writeFileSync(file, programFile())
    const answers = await Promise.all(PLACES.map(([zone, locale]) => runIn(zone, locale, file)))
    for (const [i, { hashes }] of answers.entries()) expect(hashes, PLACES[i]!.join(' ')).toEqual(expected)
    expect(new Set(answers.map(({ zone }) => zone)).size, 'the processes did live in different time zones').toBe(
      PLACES.length,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Starts a process of its own and waits for what it prints. */
function runIn(TZ: string, locale: string, file: string): Promise<{ zone: number; hashes: string[] }> {
  const env = { ...process.env, TZ, LANG: locale, LC_ALL: locale, LANGUAGE: locale }
  const child = spawn(process.execPath, [file], { env, cwd: fileURLToPath(ROOT), stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.error += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(texts.out) as { zone: number; hashes: string[] })
      else reject(new Error(`The process in ${TZ} ended with ${code}: ${texts.error}`))
    })
  })
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** One file of all sources as they are, so nothing needs to be built and each process starts quickly. */
async function bundleSources(folder: string): Promise<void> {
  await build({
    root: fileURLToPath(ROOT),
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: 'src/index.ts',
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'engine.mjs' } },
    },
  })
}

/** The program below for a process of its own. */
function programFile(): string {
  return `import { createHash } from 'node:crypto'
import * as engine from './engine.mjs'
const comparisons = ${comparisons.toString()}
const texts = ${JSON.stringify(DIALECTS)}.flatMap((dialect) => comparisons(engine, dialect))
const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'))
console.log(JSON.stringify({ zone: new Date(0).getTimezoneOffset(), hashes }))
`
}

/** A history full of what locales sort, fold and write in their own ways, and everything that compares it, as JSON. */
function comparisons(engine: typeof pact, dialect: pact.Dialect): string[] {
  let state = 20261118
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  const words = ['I', 'ı', 'İ', 'i', 'ä', 'z', 'Z', 'å', 'ß', '٣', '1,5', '1.5', '\u0130st', '\ud83d\ude00', '', '\n']
  const text = (): string => Array.from({ length: 1 + random(8) }, () => words[random(words.length)]!).join(' ')
  const content = (): pact.ContentInput =>
    random(3) > 0 ? text() : { [text()]: [random(9), 0.1 * random(9)], ä: text(), z: 2n ** BigInt(50 + random(30)) }
  let now = -3_000_000_000_000_000_000n
  let count = 0
  // A few names for many nodes, so that one name stands for other contents later.
  const ids = ({ nodeType }: pact.IdRequest): string => {
    for (let tries = 0; ; tries++) {
      const name = count++ % 16
      const id = tries < 16 ? `${nodeType}/${words[name % 12]!}${name}` : `${nodeType}/more${count}`
      const isTaken = ctx.node(id) !== undefined || (ctx.snapshots().length > 0 && ctx.node(id, '@t0') !== undefined)
      if (!isTaken) return id
    }
  }
  const ctx: pact.Context = engine.createContext({
    dialect,
    ids,
    clock: () => (now += BigInt(random(1_000_000_000)) * 100_000_000n),
    prune: { maxNodes: 30, protectSegments: 1 },
  })
  const zones = ['pre', 'core', 'post'] as const
  for (let cycle = 0; cycle < 14; cycle++) {
    for (let i = random(4); i >= 0; i--) {
      ctx.add(content(), {
        zone: zones[random(3)]!,
        ttl: random(2) === 0 ? random(5) : null,
        priority: random(5) - 2,
        role: ['user', 'assistant', 'tool'][random(3)]!,
        tags: [words[random(9)]!, words[9 + random(3)]!].filter((tag, at, all) => all.indexOf(tag) === at),
        ...Object.fromEntries(Array.from({ length: 5 }, () => [`data_${words[random(9)]!}`, random(3)])),
      })
    }
    ctx.commit()
  }
  ctx.user('open', { ttl: 2 })
  const found: unknown[] = []
  const lenses = ['@c2', '@c5', '@c8', '@t-3', '@t0', 'working', 'preview'] as const
  for (const a of lenses) {
    for (const b of lenses) found.push(ctx.diff(a, b), ctx.diff(a, b, '.cb[ttl<=2], .mt'), ctx.diffDetailed(a, b))
  }
  for (const contentMode of ['unified', 'jsonpatch', 'tokens'] as const) {
    const options = { includeContent: true, contentMode, materialize: ['content', 'content_hash'] } as const
    found.push(ctx.rangeDiffLatest('@history *', options), ctx.select('@c9:99 .cb', options))
    // Far apart, one id stands for two contents.
    for (const cycles of ['2:7', '2:11', '4:9', '4:13', '5:12', '6:14']) {
      found.push(ctx.select(`@c${cycles} * @mode=latest`, options))
    }
  }
  found.push(ctx.select('@t-5..@t3 .cb', { maxSnapshots: 3, maxChangesPerSnapshot: 2 }))
  return found.map((each) => JSON.stringify(each))
}
