// Reads of Claude's prompt cache on recorded conversations, by a model of its documented rules that shares nothing with the package: entries are
// written at marks, a mark looks back 20 blocks, and nothing below 1,024 tokens is kept. `node scripts/cache-marks.mjs` prints the table of docs/caching.md.

import { createHash } from 'node:crypto'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { recordingsOf } from '../test/recordings/read.mjs'
import { stepsOf } from './prefix-share.mjs'

const FILES = { 'tau-bench': 'sierra-research__tau-bench', 'pi-mono': 'badlogic__pi-mono' }
const LOOK_BACK = 20
const LEAST = 1024

/** Edits in addition to the recording: before each message of the user, and the header of each result. */
const FLOWS = {
  'only adds': {},
  'plan by `set`, document by `post`, `ttl: 1`': {
    asked(ctx, turn) {
      ctx.set('plan', `Plan of turn ${turn}: ${'look, then answer. '.repeat(10)}`)
      ctx.post(`Document ${turn}: ${'a line of it. '.repeat(40)}`, { ttl: 1 })
    },
  },
  'document by `pre`, `ttl: 1`': {
    asked: (ctx, turn) => ctx.pre(`Document ${turn}: ${'a line. '.repeat(60)}`, { ttl: 1 }),
  },
  'results with `ttl: 3`': { result: { ttl: 3 } },
  'results with `ttl: 20`': { result: { ttl: 20 } },
}

/** The rows of the table; `engine` has `createContext` and `toAnthropic`. */
export function markShares(engine, options = { cache: true }) {
  return Object.entries(FLOWS).map(([flow, acts]) => {
    const shares = Object.values(FILES).map((file) => {
      const told = { tokens: 0, same: 0, read: 0 }
      for (const { record } of recordingsOf(file)) replay(engine, stepsOf(record.messages), acts, options, told)
      return { same: told.same / told.tokens, read: told.read / told.tokens }
    })
    return { flow, shares }
  })
}

export function tableOf(rows) {
  const cell = ({ read, same }) => `${percent(read)} of ${percent(same)}`
  return [
    `| Flow | ${Object.keys(FILES).join(' | ')} |`,
    '|---|---|---|',
    ...rows.map(({ flow, shares }) => `| ${flow} | ${shares.map(cell).join(' | ')} |`),
  ].join('\n')
}

function replay({ createContext, toAnthropic }, steps, { asked, result = {} }, options, told) {
  const ctx = createContext()
  const cache = new Set()
  let turn = 0
  let before = []
  for (const [at, { role, content, header }] of steps.entries()) {
    if (role === 'system') {
      ctx.system.add(content)
      continue
    }
    if (role === 'user' && turn++ > 0) ctx.commit()
    // A reply of several parts answers one request.
    if (role === 'assistant' && steps[at - 1]?.role !== 'assistant' && turn > 0) {
      before = request(toAnthropic(ctx, options), before, cache, told)
    }
    ctx[role](content, role === 'tool' ? { ...header, ...result } : header)
    if (role === 'user') asked?.(ctx, turn)
  }
}

/** Counts one request, and gives its prefixes: one for each block, with the tokens up to its end. */
function request({ system, messages }, before, cache, told) {
  const blocks = [...listOf(system, 'system'), ...messages.flatMap(({ role, content }) => listOf(content, role))]
  const prefixes = []
  let [key, tokens] = ['', 0]
  for (const { text, isMarked } of blocks) {
    key = chained(key, text)
    tokens += Math.ceil(text.length / 4)
    prefixes.push({ key, tokens, isMarked })
  }
  const marks = prefixes.flatMap(({ isMarked }, at) => (isMarked ? [at] : []))
  const isKept = (at) => at >= 0 && cache.has(prefixes[at].key)
  let read = -1
  for (const mark of marks) for (let at = mark; at > mark - LOOK_BACK; at--) if (at > read && isKept(at)) read = at
  for (const mark of marks) if (prefixes[mark].tokens >= LEAST) cache.add(prefixes[mark].key)
  if (before.length > 0) {
    const last = prefixes.findLastIndex((each, at) => each.key === before[at]?.key)
    told.tokens += tokens
    told.same += prefixes[last]?.tokens ?? 0
    told.read += prefixes[read]?.tokens ?? 0
  }
  return prefixes
}

function listOf(content, role) {
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return list.map((block) => ({ text: textOf(block, role), isMarked: block.cache_control !== undefined }))
}

/** Requests have most blocks in common, so each block is written once. @type {WeakMap<object, string>} */
const texts = new WeakMap()

function textOf(block, role) {
  const known = texts.get(block)
  if (known !== undefined) return known
  const { cache_control: _mark, ...unmarked } = block
  const text = `${role}${JSON.stringify(unmarked)}`
  texts.set(block, text)
  return text
}

/** A short key for a prefix. */
function chained(key, text) {
  return createHash('sha1').update(key).update(text).digest('base64')
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const dist = (file) => import(pathToFileURL(fileURLToPath(new URL(`../dist/${file}`, import.meta.url))).href)
  const { createContext } = await dist('index.js')
  const { toAnthropic } = await dist('adapters/anthropic/index.js')
  console.log(tableOf(markShares({ createContext, toAnthropic })))
}
