// Writes a folder of exports in the form that the code has now, for test/conformance/golden-exports.test.ts to import for ever:
//
//   npm run build && node scripts/write-exports.mjs test/golden/exports-<version>
//
// With a fixed clock, so that two runs of the same code write the same bytes. A folder that is there is left alone: what
// newer code writes says nothing about files of older code. Do this once for each released form of the export.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { createContext, importSnapshot } from '../dist/index.js'

const DIALECTS = ['1.0', '0.1']

/** 2026-11-16T12:00:00Z; every call of the clock is 1.000000007 s later. */
function clock() {
  let now = 1_794_830_400_000_000_000n
  return () => (now += 1_000_000_007n)
}

function newContext(dialect = '1.0', options = {}) {
  return createContext({ clock: clock(), dialect, ...options })
}

/** A question that an answer refers to, in the first turn, and one more turn. */
function conversation(dialect, options) {
  const ctx = newContext(dialect, options)
  ctx.system.add('Answer in one sentence.', { key: 'rule' })
  const question = ctx.user('What is the capital of France?', { tags: ['geography'], key: 'question' })
  ctx.assistant('Paris.', { refs: [question.id] })
  ctx.post('The user is in a hurry.', { ttl: 20, 'app:score': { value: 0.5 } })
  ctx.commit()
  ctx.pre('Today is Monday.', { key: 'today' })
  ctx.user('And of Spain?')
  ctx.assistant('Madrid.', { kind: 'answer' })
  ctx.commit()
  return ctx
}

function standIns(dialect) {
  const ctx = conversation(dialect)
  for (const content of ['The capital of France?', 'Capital of France?', 'France?']) {
    ctx.replace('{ key="question" }', { content, key: 'question' })
    ctx.commit()
  }
  return ctx
}

/** Stand-ins that are gone: one deleted, which its marker stands for, one whose time is over. */
function removedStandIns(dialect) {
  const ctx = standIns(dialect)
  ctx.delete('{ key="question" }', { author: 'kim', reason: 'private' })
  ctx.replace("^seq *[content='The user is in a hurry.']", { content: 'In a hurry.', ttl: 1 })
  ctx.commit()
  ctx.user('Go on.')
  ctx.commit()
  ctx.commit()
  return ctx
}

function redactions(dialect) {
  const ctx = newContext(dialect)
  const card = ctx.user('My card is 4111 1111 1111 1111.', { refs: ['elsewhere'] })
  ctx.assistant('Noted: 4111 1111 1111 1111.', { refs: [card.id] })
  ctx.assistant('Charged to 4111 1111 1111 1111.', { refs: [card.id], tags: ['receipt'] })
  ctx.add(undefined, { zone: 'post', key: 'file', children: [{ content: 'a' }, { content: { card: '4111', n: 1 } }] })
  ctx.commit()
  ctx.redact('^seq *', { match: /4111( \d{4}){3}/, reason: 'card number', author: 'privacy-bot' })
  ctx.commit()
  ctx.delete("^seq *[content~'Noted']", { reason: 'card number' })
  ctx.delete("^seq *[content~'My card']")
  ctx.delete('{ key="file" }', { author: 'kim' })
  ctx.user('Anything else?')
  ctx.commit()
  return ctx
}

function schedules(dialect) {
  const ctx = newContext(dialect)
  ctx.user('Start.')
  ctx.pre('Today is Monday.', { key: 'today', cad: 1, ttl: 1 })
  ctx.post('Plan: pay.', { key: 'plan', cad: 2, ttl: 1, tags: ['plan'], pinned: true })
  ctx.add(undefined, { zone: 'post', key: 'box', cad: 3, ttl: 2, removable: true, children: [{ content: 'in' }] })
  ctx.post('Never mind.', { key: 'gone', cad: 2, ttl: 1 })
  ctx.commit()
  ctx.user('Next.')
  ctx.delete('{ key="gone" }')
  ctx.commit()
  // While a schedule has no instance: the schedule is rewritten, and its count goes on.
  ctx.replace('{ key="plan" }', { content: 'Plan: rest.' })
  ctx.user('And then?')
  ctx.commit()
  ctx.commit()
  return ctx
}

/** A fork of a fork; a stand-in whose earlier id is the parent's. */
function forks() {
  const ctx = conversation('1.0')
  const fork = ctx.fork('@t0')
  fork.replace('{ key="question" }', { content: 'France?', key: 'question' })
  fork.user('In the fork.')
  fork.commit()
  const inner = fork.fork('@t0')
  inner.replace('{ key="question" }', { content: 'Paris?', key: 'question' })
  inner.user('In the fork of the fork.')
  inner.commit()
  return inner
}

/** Segments, blocks and containers that were put into history, moved, rewritten and taken out there. */
function historyEdits(dialect) {
  const ctx = conversation(dialect)
  ctx.insert({ content: 'A turn in between.', role: 'user' }, { depth: 1 })
  ctx.insert({ content: 'Before it all.', key: 'first' }, '(d2,)')
  ctx.commit()
  ctx.add(undefined, {
    zone: 'post',
    key: 'notes',
    children: [{ content: 'one' }, { content: 'two', refs: ['block:1-0'] }],
  })
  ctx.user('More.')
  ctx.commit()
  ctx.move('{ key="notes" }', '(d3, end)')
  ctx.replace("^seq *[content='two']", { content: 'second', priority: 3 })
  ctx.commit()
  ctx.delete("^seq *[content='one']", { reason: 'a test' })
  ctx.put('today', 'Today is Tuesday.')
  ctx.user('Done.')
  ctx.commit()
  return ctx
}

/** A removable container that is empty and stays for a reference; the one that holds it there is a stand-in. */
function emptied() {
  const ctx = newContext()
  const box = ctx.add(undefined, { zone: 'post', removable: true, key: 'box', children: [{ content: 'in', ttl: 1 }] })
  ctx.add(undefined, { zone: 'post', removable: true, key: 'never', children: [] })
  ctx.user('Keep the box.', { refs: [box.id], key: 'keeper' })
  ctx.commit()
  ctx.replace('{ key="keeper" }', { content: 'Keep it.', refs: [box.id], key: 'keeper' })
  ctx.commit()
  ctx.commit()
  return ctx
}

/** Call groups, one of them with its call rewritten, after pruning. */
function calls() {
  const ctx = newContext('1.0', { prune: { maxNodes: 18 } })
  for (const n of [1, 2, 3, 4]) {
    ctx.user(`Question ${n}`)
    ctx.assistant({ tool: 'look', arguments: { n, big: 2n ** 70n } }, { kind: 'call', data_call_id: `c${n}` })
    ctx.add({ found: [n, 1.5, null] }, { role: 'tool', kind: 'result', data_call_id: [`c${n}`] })
    ctx.commit()
  }
  ctx.replace("^seq *[data_call_id='c4'][kind='call']", { content: { tool: 'look' }, kind: 'call', data_call_id: 'c4' })
  ctx.commit()
  return ctx
}

/** An export with stand-ins, imported, with names of its own at the top, and written on. */
function imported() {
  const text = new TextDecoder().decode(standIns('1.0').export())
  return importSnapshot(text.replace('{"cycle"', '{"app:by":"me","cycle"'), { clock: clock() })
}

function importedAndEdited() {
  const ctx = imported()
  ctx.replace('{ key="question" }', { content: 'Which?', key: 'question' })
  ctx.user('After the import.')
  ctx.commit()
  return ctx
}

function inBoth(name, holds, make) {
  return DIALECTS.map((dialect) => [`${name}-${dialect}.json`, holds, () => make(dialect)])
}

const EXPORTS = [
  ...inBoth('stands-for', 'a node replaced three times that an answer refers to (pact:stands_for)', standIns),
  ...inBoth(
    'stand-ins-removed',
    'stand-ins that were deleted, which markers stand for, and that expired',
    removedStandIns,
  ),
  ...inBoth(
    'redactions',
    'texts redacted in place, markers with author, reason or neither, of stand-ins too',
    redactions,
  ),
  ...inBoth(
    'schedules',
    'schedules in both zones, one with children, one ended, one rewritten before it returned',
    schedules,
  ),
  ...inBoth(
    'history-edits',
    'segments, blocks and containers inserted, moved, replaced and deleted in history',
    historyEdits,
  ),
  ['forks.json', 'a fork of a fork, each with a stand-in for a node of the parent', forks],
  ['emptied.json', 'an emptied container that a stand-in refers to, and one that never held anything', emptied],
  ['calls.json', 'call groups with a rewritten call, integers beyond 2^53 in a content', calls],
  ['imported.json', 'stand-ins that came by import, with a name at the top that nobody here knows', imported],
  ['imported-and-edited.json', 'the one before, with one more stand-in', importedAndEdited],
]

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function writeFolder(folder) {
  if (fs.existsSync(folder)) throw new Error(`${folder} is there; what it holds is never made anew.`)
  fs.mkdirSync(folder, { recursive: true })
  const index = {}
  for (const [file, holds, make] of EXPORTS) {
    const ctx = make()
    const bytes = ctx.export()
    fs.writeFileSync(path.join(folder, file), bytes)
    const [thread, reference] = [sha256(ctx.threadBytes('@t0')), sha256(ctx.referenceBytes('@t0'))]
    index[file] = { holds, bytes: bytes.length, export: sha256(bytes), thread, reference }
  }
  fs.writeFileSync(path.join(folder, 'index.json'), `${JSON.stringify(index, undefined, 2)}\n`)
}

const [folder] = process.argv.slice(2)
if (folder === undefined)
  throw new Error('Say which folder: node scripts/write-exports.mjs test/golden/exports-<version>')
writeFolder(folder)
