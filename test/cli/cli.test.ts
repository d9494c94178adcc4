// `pctx` by its arguments: what it prints, its exit status, what it refuses. Without a process, on a store in a folder of the test; what
// only a process shows is in cli-process.test.ts.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { toOpenAIChat } from 'pact-context/openai'
import { openStore } from 'pact-context/store'
import { FORMAT_NAMES } from '../../src/formats/index.js'
import { columnsOf } from '../../src/cli/columns.js'
import { COMMANDS, helpDocument } from '../../src/cli/index.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { recordedLines } from '../support/providers/recorded.js'
import { pctx, type PctxOptions, type RanPctx } from '../support/pctx.js'

/** Whatever could steer a terminal, our own line breaks aside. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const ESCAPE = '\u001b'

let folder = ''
let store = ''
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-cli-'))
  store = `sqlite:${path.join(folder, 'contexts.db')}`
  expect((await run(['demo'])).status).toBe(0)
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[], options: PctxOptions = {}): Promise<RanPctx> {
  return pctx(args, { ...options, env: { PACT_STORE: store, ...options.env } })
}

async function json(args: readonly string[], options: PctxOptions = {}): Promise<unknown> {
  const { stdout, status, stderr } = await run([...args, '--json'], options)
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

function file(name: string, text: string): string {
  const full = path.join(folder, name)
  fs.writeFileSync(full, text)
  return full
}

describe('looking', () => {
  it('lists contexts: fields between tabs in a pipe, a table on a terminal', async () => {
    expect(await run(['ls'])).toEqual({ status: 0, stdout: 'demo-support\t4\n', stderr: '' })
    const { stdout } = await run(['ls', '--no-color'], { columns: 80 })
    expect(stdout).toBe('context       cycle  fork of\ndemo-support      4\n1 context\n')
    expect(await json(['ls'])).toEqual({ contexts: [{ id: 'demo-support', cycle: 4, forks: 0 }] })
  })

  it('shows a context whose newest rows are lost as damaged, and the others beside it', async () => {
    const name = path.join(folder, 'damaged.db')
    const env = { PACT_STORE: `sqlite:${name}` }
    for (const id of ['lost', 'whole']) expect((await run(['add', id, '--user', 'Hi'], { env })).status).toBe(0)
    const db = openDatabase(name)
    db.exec("DELETE FROM commits WHERE k / 1073741824 = (SELECT ctx FROM contexts WHERE id = CAST('lost' AS BLOB))")
    db.close()
    expect(await run(['ls'], { env })).toMatchObject({ status: 0, stdout: 'lost\t0\t\tdamaged\nwhole\t1\n' })
    const { stdout } = await run(['ls', '--no-color'], { env, columns: 80 })
    expect(stdout).toMatch(/^lost +0 +damaged$[^]*2 contexts, 1 of them damaged: pctx fsck tells more\n$/m)
    const checked = await run(['fsck'], { env })
    expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining('Its newest rows are lost.')])
    const replayed = await run(['replay'], { env })
    expect([replayed.status, replayed.stdout]).toEqual([1, expect.stringContaining('its newest rows are lost')])
    expect((await run(['show', 'lost'], { env })).status).toBe(2)
    expect((await run(['rm', 'lost'], { env })).status).toBe(0)
    expect((await run(['fsck'], { env })).status).toBe(0)
  })

  it('gives some fields with --json=', async () => {
    const { stdout } = await run(['ls', '--json=cycle,id'])
    expect(JSON.parse(stdout)).toEqual([{ cycle: 4, id: 'demo-support' }])
    const wrong = await run(['ls', '--json=cicle'])
    expect([wrong.status, (JSON.parse(wrong.stderr) as Told).error.message]).toEqual([
      2,
      'There is no field "cicle"; there are id, cycle, forks.',
    ])
  })

  it('gives fields of the answer itself where it has them, though it has a list as well', async () => {
    const pick = async (...args: readonly string[]): Promise<unknown> => JSON.parse((await run(args)).stdout)
    expect(await pick('show', 'demo-support', '--json=cycle')).toEqual({ cycle: 4 })
    expect(await pick('fsck', '--json=ok,contexts')).toEqual({ ok: true, contexts: 1 })
    expect(await pick('ls', '--limit', '1', '--json=id')).toEqual([{ id: 'demo-support' }])
  })

  it('logs one line for each commit, the newest first', async () => {
    const { stdout } = await run(['log', 'demo-support'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['@c4', '@c3', '@c2', '@c1'])
    expect(lines[1]).toMatch(/4 new, 2 expired/)
    expect((await run(['log', 'demo-support', '--limit', '1'])).stdout.trimEnd()).toBe(lines[0])
    expect((await run(['log', 'demo-support', '--before', '2'])).stdout.trimEnd()).toBe(lines[3])
  })

  it('draws the tree as String(snapshot) does', async () => {
    const opened = await openStore(store)
    const text = String((await opened.open('demo-support')).snapshot('@t-1'))
    await opened.close()
    const { stdout } = await run(['show', 'demo-support', '@t-1'])
    expect(text).toContain(stdout.trimEnd())
    expect((await run(['show', 'demo-support', '--all'])).stdout).toContain('find_booking')
    expect(await json(['show', 'demo-support', '@c1'])).toMatchObject({ cycle: 1 })
  })

  it.each([40, 72])('keeps every line of a terminal within %i columns', async (columns) => {
    for (const args of [
      ['ls'],
      ['log', 'demo-support'],
      ['show', 'demo-support', '-a'],
      ['select', 'demo-support', '.block'],
      ['diff', 'demo-support', '@c1', '@t0'],
    ]) {
      const { stdout } = await run([...args, '--no-color'], { columns })
      for (const line of stdout.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns)
    }
  })

  it('selects: ids on lines, nodes, a count, a range', async () => {
    const { stdout } = await run(['select', 'demo-support', ".block[role='user']"])
    const ids = stdout.trimEnd().split('\n')
    expect(ids).toHaveLength(4)
    expect((await run(['select', 'demo-support', ".block[role='user']", '--count'])).stdout).toBe('4\n')
    expect(await json(['select', 'demo-support', ".block[role='user']", '--skip', '1', '--limit', '2'])).toMatchObject({
      ids: ids.slice(1, 3),
    })
    const nodes = (await run(['select', 'demo-support', ".block[role='user']", '--nodes', '--limit', '1'])).stdout
    expect(nodes.split('\t')).toEqual([ids[0], 'block', 'user', '', '', 'My flight to Oslo was cancelled. What now?\n'])
    expect((await run(['select', 'demo-support', '@t-1..@t0 .block'])).stdout).toMatch(/against[^]*\+ /)
  })

  it('tells a diff as a list, in numbers, and line by line', async () => {
    const list = (await run(['diff', 'demo-support', '@t-1', '@t0'])).stdout
    expect(list).toMatch(/^\+ \S+ user \(created\) {2}Thank you!$/m)
    expect(list).toMatch(/^~ \S+ \(edited\) {2}content$/m)
    expect(list).toMatch(/@t-1 to @t0: 2 came, 0 left, 1 changed\n$/)
    expect((await run(['diff', 'demo-support', '@t-1', '@t0', '--stat'])).stdout).toBe(
      '+ created 2\n~ edited 1\n@t-1 to @t0: 2 came, 0 left, 1 changed\n',
    )
    const content = (await run(['diff', 'demo-support', '@t-1', '@t0', '--content'])).stdout
    expect(content).toContain('  -You work at the help desk of a small airline. Be brief.\n')
    expect(content).toContain('  +You work at the help desk of a small airline. Be brief and kind.\n')
    expect(await json(['diff', 'demo-support', '@t-1', '@t0'])).toMatchObject({
      from: { lens: '@t-1' },
      changed: [{ cause: 'edited' }],
    })
  })

  it('explains a node in words', async () => {
    const id = (await run(['select', 'demo-support', '#policy'])).stdout.trim()
    expect((await run(['explain', 'demo-support', id])).stdout).toMatch(
      /made by system\.add\(\) in cycle 1[^]*It is in \^sys/,
    )
  })

  it('writes exactly the bytes of thread and export', async () => {
    const opened = await openStore(store)
    const ctx = await opened.open('demo-support')
    const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
    const [thread, exported] = [decode(ctx.threadBytes('@t0')), decode(ctx.export('@c3'))]
    await opened.close()
    expect(await run(['thread', 'demo-support'])).toEqual({ status: 0, stdout: thread, stderr: '' })
    expect(await run(['export', 'demo-support', '@c3'])).toEqual({ status: 0, stdout: exported, stderr: '' })
  })

  it('renders for every provider, and tells the prefix', async () => {
    for (const format of FORMAT_NAMES) {
      const { status, stdout } = await run(['render', 'demo-support', '--for', format])
      expect([status, typeof JSON.parse(stdout)]).toEqual([0, 'object'])
    }
    const { stdout } = await run(['prefix', 'demo-support'])
    expect(stdout).toMatch(/^0 % is a stable prefix[^]*It ends at byte/)
    expect((await run(['prefix', 'demo-support', '@c1', '@c2', '--for', 'anthropic'])).stdout).toContain('only adds')
    expect(await json(['prefix', 'demo-support'])).toMatchObject({ first: { item: 0 } })
  })
})

type Told = Readonly<{ error: Readonly<{ code: string; message: string; details: object }> }>

describe('what is refused', () => {
  it.each([
    [['lss'], 2, "Unknown command 'lss'. Did you mean ls?"],
    [['ls', '--jsom'], 2, "Unknown option '--jsom'. Did you mean --json?"],
    [['help', 'lg'], 2, 'There is no command "lg" to tell about.'],
    [['log'], 2, "Missing required argument 'id'."],
    [['ls', 'x'], 2, 'Too many arguments'],
    [['render', 'demo-support'], 2, "Required option '--for <format>' not specified."],
    [['render', 'demo-support', '--for', 'openai'], 2, 'Allowed choices are openai-chat'],
    [['ls', '--limit', 'x'], 2, '"x" is no whole number from 1 up.'],
    [['ls', '--store', 'mysql:x'], 2, 'There is no store at mysql:x'],
    [['add', 'x', '--user', 'Hi', '--store', 'sqlite:/dev/null/x/y.db'], 2, 'The folder of the store'],
    [['import', 'missing.json'], 2, 'There is no file "missing.json".'],
    [['completion', 'tcsh'], 2, 'There is completion for bash, zsh, fish.'],
    [['add', 'x'], 2, 'add needs one of --user'],
    [['show', 'demo-suport'], 1, 'Did you mean "demo-support"?'],
    [['rm', 'nobody'], 1, 'There is no context nobody in this store. pctx ls lists those that there are.'],
    [['show', 'demo-support', '@t-9'], 1, 'There is no @t-9'],
    [['select', 'demo-support', ':cor'], 1, 'Did you mean ":core"?'],
    [['fork', 'demo-support', '--id', 'demo-support'], 1, 'E_CONFLICT'],
    [['retain', 'demo-support'], 2, 'retain needs to know what stays'],
    [['retain', 'demo-support', '--since', 'May'], 2, '"May" is no time'],
    [['transfer', 'demo-support'], 2, "'--to <url>' not specified"],
    [['transfer', 'demo-support', '--to', 'ftp://there'], 2, 'There is no store at ftp://there'],
    [['transfer', 'demo-support', '--to', 'memory:'], 2, 'ends with this command'],
    [
      ['transfer', 'nobody', '--to', 'sqlite:x.db', '--store', 'sqlite:none.db'],
      2,
      'There is no store at sqlite:none.db',
    ],
  ])('%j ends with %i and a sentence', async (args, status, message) => {
    const text = await run(args)
    expect([text.status, text.stdout]).toEqual([status, ''])
    expect(text.stderr).toContain(message)
    expect(text.stderr).not.toMatch(/\n\s+at /)
    const told = await run([...args, '--json'])
    expect([told.status, told.stdout]).toEqual([status, ''])
    const { error } = JSON.parse(told.stderr) as Told
    expect([typeof error.code, typeof error.message, typeof error.details]).toEqual(['string', 'string', 'object'])
  })

  it('is shown where a selector is wrong', async () => {
    const { stderr } = await run(['select', 'demo-support', '.block :cor'])
    expect(stderr).toMatch(/\n {2}\.block :cor\n {2} {7}\^{4}\n$/)
  })

  it('does not make a store that is only read from', async () => {
    const address = `sqlite:${path.join(folder, 'nowhere/none.db')}`
    for (const words of [['ls'], ['fsck'], ['show', 'x'], ['rm', 'x']]) {
      const { status, stderr } = await run([...words, '--store', address])
      expect([status, stderr]).toEqual([2, expect.stringContaining('There is no store at')])
    }
    expect(fs.existsSync(path.join(folder, 'nowhere'))).toBe(false)
  })

  it('leaves no context behind where its first commit is refused', async () => {
    const address = `sqlite:${path.join(folder, 'refused.db')}`
    await run(['add', 'there', '--user', 'hi', '--store', address])
    expect((await run(['add', 'new', '--user', 'hi', '--base', '7', '--store', address])).status).toBe(1)
    expect((await run(['insert', 'new', '(d9, 0)', 'hi', '--store', address])).status).not.toBe(0)
    expect((await run(['ls', '--store', address])).stdout).toMatch(/^there\t/)
    expect((await run(['ls', '--store', address])).stdout).not.toMatch(/new/)
  })

  it('takes any words as they are: nothing is run, read or written by them', async () => {
    const words = [
      '$(touch hacked)',
      '`id`',
      "'; drop table contexts; --",
      '../../etc/passwd',
      '%s%n',
      '--user',
      '\u202e',
      '__proto__',
    ]
    for (const word of words) {
      const { status, stdout, stderr } = await run(['show', '--', word])
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).not.toMatch(STEERING)
      const made = await run(['add', `x ${word}`, '--user', word, '-q'])
      expect(made.status).toBe(0)
      const opened = await openStore(store)
      expect((await opened.open(`x ${word}`)).thread('@t0')).toMatchObject([{ content: word }])
      await opened.delete(`x ${word}`)
      await opened.close()
    }
    expect((await run(['ls'])).stdout).toBe('demo-support\t4\n')
  })
})

describe('editing', () => {
  it('commits once for each command; a ttl counts commands', async () => {
    const first = await run(['add', 'talk', '--user', 'Hi', '--assistant', 'Ho'])
    expect(first).toMatchObject({ status: 0, stderr: 'A new context: "talk".\n' })
    expect(first.stdout).toMatch(/^@c1 \S+ \S+\n$/)
    await run([
      'add',
      'talk',
      '--post',
      'Doc',
      '--key',
      'kb',
      '--ttl',
      '1',
      '--tag',
      'a',
      '--tag',
      'b',
      '--data',
      'n=7',
    ])
    expect(await json(['select', 'talk', '#kb', '--nodes'])).toMatchObject({
      nodes: [{ ttl: 1, tags: ['a', 'b'], data_n: 7 }],
    })
    await run(['put', 'talk', 'plan', '-', '--in-system'], { stdin: 'Plan: wait' })
    expect(await json(['select', 'talk', '#kb'])).toMatchObject({ ids: [] })
    await run(['replace', 'talk', '^sys #plan', 'Plan: go on', '--in-system'])
    await run(['update', 'talk', '^sys #plan', '--priority', '3', '--pinned', '--in-system'])
    expect(await json(['select', 'talk', '^sys #plan', '--nodes'])).toMatchObject({
      nodes: [{ content: 'Plan: go on', priority: 3, pinned: true }],
    })
    await run(['insert', 'talk', '(d1, +1)', '{"a":1}', '--as-json', '--key', 'extra'])
    expect(await json(['select', 'talk', '#extra', '--nodes'])).toMatchObject({ nodes: [{ content: { a: 1 } }] })
    await run(['delete', 'talk', '^sys #plan', '--in-system', '--reason', 'done'])
    expect(await json(['ls'])).toMatchObject({ contexts: [{ id: 'demo-support' }, { id: 'talk', cycle: 7 }] })
  })

  it('previews a context that the edit would make, and makes nothing, no store either', async () => {
    const address = `sqlite:${path.join(folder, 'nowhere', 'none.db')}`
    const args = ['add', 'fresh', '--user', 'First', '--store', address]
    const { stdout, stderr, status } = await run([...args, '--dry-run'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\+ \S+ user \(created\) {2}First$/m)
    expect(stdout).toMatch(/Nothing was changed; a commit would make the new context "fresh" with cycle 1\.\n$/)
    expect(fs.existsSync(path.join(folder, 'nowhere'))).toBe(false)
    const previewed = await json([...args, '--dry-run'])
    const committed = await json([...args, '-q'])
    expect(previewed).toMatchObject(committed as object)
    // Nothing else is forgiven: an edit of what is not there, and a base that is none.
    expect((await run(['delete', 'nobody', '.block', '--dry-run'])).status).toBe(1)
    expect((await run(['add', 'nobody', '--user', 'x', '--base', '3', '--dry-run'])).stderr).toContain('E_CONFLICT')
    expect((await run(['add', 'nobody', '--user', 'x', '--ttl', '-1', '--dry-run'])).status).toBe(2)
  })

  it('previews with --dry-run, and changes nothing', async () => {
    const { stdout } = await run(['add', 'talk', '--user', 'And?', '--dry-run'])
    expect(stdout).toMatch(/^\+ \S+ user \(created\) {2}And\?$/m)
    expect(stdout).toMatch(/Nothing was changed; a commit would make cycle 8\.\n$/)
    expect((await run(['ls'])).stdout).toContain('talk\t7\n')
  })

  it('applies operations as one commit, once for a key, and only on its base', async () => {
    const operations = '{"op":"user","content":"One"}\n\n{"op":"assistant","content":"Two"}\n'
    const once = await json(['apply', 'talk', '--once', 'k', '--base', '7'], { stdin: operations })
    expect(once).toMatchObject({ cycle: 8, ids: [[expect.any(String)], [expect.any(String)]] })
    expect(await json(['apply', 'talk', '--once', 'k', '--base', '7'], { stdin: operations })).toMatchObject({
      cycle: 8,
      repeated: true,
    })
    const stale = await run(['apply', 'talk', '--base', '7', '--json'], { stdin: operations })
    expect([stale.status, (JSON.parse(stale.stderr) as Told).error]).toMatchObject([
      1,
      { code: 'E_CONFLICT', details: { head: 8 } },
    ])
    const fault = await run([
      'apply',
      'talk',
      file('ops.json', '[{"op":"user","content":"x"},{"op":"usr","content":"y"}]'),
      '--json',
    ])
    expect([fault.status, (JSON.parse(fault.stderr) as Told).error.details]).toMatchObject([1, { operation: 1 }])
    expect((await run(['apply', 'talk'], { stdin: '{"op":"user"}\n{' })).stderr).toContain(
      'Line 2 of the operations is not JSON.',
    )
  })

  it.each(['', '\n', '[]'])('refuses an empty list of operations, and commits nothing: %j', async (stdin) => {
    const before = await run(['ls'])
    const { status, stderr } = await run(['apply', 'talk'], { stdin })
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^pctx: [^\n]+\n$/)])
    expect(await run(['ls'])).toEqual(before)
    const made = await run(['apply', 'never-made'], { stdin })
    expect([made.status, (await run(['ls'])).stdout]).toEqual([2, before.stdout])
  })

  it('forks and removes', async () => {
    expect(await json(['fork', 'talk', '@t-1', '--id', 'other'])).toMatchObject({ id: 'other', cycle: 7 })
    const { stderr } = await run(['rm', 'talk'])
    expect(stderr).toContain('has forks')
    expect(stderr).toContain('pass --forks to delete them as well')
    expect((await run(['rm', 'talk', '--forks'])).status).toBe(0)
    expect((await run(['ls'])).stdout).toBe('demo-support\t4\n')
    expect((await run(['attempts', 'demo-support'])).stdout).toBe('')
  })
})

describe('importing', () => {
  it('tells what could not be read, with its line, and ends with 1', async () => {
    const name = file(
      'mixed.jsonl',
      ['{"messages":[{"role":"user","content":"Hi"}]}', '{"messages":', '{"format":"cohere-v2","messages":[]}'].join(
        '\n',
      ),
    )
    const { status, stdout, stderr } = await run(['import', name])
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^imported mixed-1 openai-chat, 1 message, cycle 1\nunreadable mixed-2 It looks like "cohere-v2"\.[^]*\(line 3\)\n$/,
    )
    expect(stderr).toContain('mixed.jsonl, line 2: ')
    const told = await run(['import', name, '--json'])
    expect(told.status).toBe(1)
    expect(JSON.parse(told.stdout)).toMatchObject({
      files: [{ contexts: [{ status: 'refused' }, { status: 'unreadable' }], unread: [{ line: 2 }] }],
    })
  })

  it('refuses a second time, or adds what is new', async () => {
    const [hi, ho] = ['{"role":"user","content":"Hi"}', '{"role":"assistant","content":"Ho"}']
    const name = file('chat.jsonl', hi)
    expect((await run(['import', name])).stdout).toBe('imported chat openai-chat, 1 message, cycle 1\n')
    expect(await run(['import', name])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('--update adds what is new'),
    })
    fs.appendFileSync(name, `\n${ho}\n`)
    expect((await run(['import', name, '--update'])).stdout).toBe(
      'updated chat openai-chat, 2 messages, 1 new, cycle 2\n',
    )
    expect(await run(['import', '-', '--id', 'piped'], { stdin: `${hi}\n${ho}` })).toMatchObject({ status: 0 })
    expect((await run(['import', file('empty.json', '')])).stderr).toContain('There is no conversation in')
  })

  it('reads its own exports again', async () => {
    const { stdout } = await run(['export', 'demo-support'])
    expect((await run(['import', file('again.json', stdout)])).status).toBe(0)
    expect((await run(['export', 'again'])).stdout).toBe(stdout)
  })

  it('takes recordings of every format', async () => {
    const records = recordedLines().map(({ record }) => record)
    const formats = [...new Set(records.map(({ format }) => format))]
    const chosen = formats.flatMap((format) => records.filter((record) => record['format'] === format).slice(0, 3))
    const all = file('all.jsonl', chosen.map((record) => JSON.stringify(record)).join('\n'))
    const result = await run(['import', all, '--store', `sqlite:${path.join(folder, 'all.db')}`, '--json'])
    const { files } = JSON.parse(result.stdout) as { files: readonly { contexts: readonly { status: string }[] }[] }
    const unknown = chosen.map(({ format }) => format === 'cohere-v2' || format === 'text')
    expect(files[0]?.contexts.map(({ status }) => status)).toEqual(
      unknown.map((isUnknown) => (isUnknown ? 'unreadable' : 'imported')),
    )
  })
})

describe('care', () => {
  it('finds nothing in a sound store', async () => {
    expect(await run(['fsck', 'demo-support'])).toEqual({
      status: 0,
      stdout: 'sound: 5 rows of 1 context read\n',
      stderr: '',
    })
    expect((await run(['replay', 'demo-support'])).stdout).toBe(
      'the same: 4 snapshots and 0 attempts of 1 context rendered again\n',
    )
    expect(await json(['replay'])).toMatchObject({ ok: true, differences: [] })
  })

  it('thins out, and everything goes on with what exists', async () => {
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
      await run(['add', 'thinned', '--user', text, '--ttl', '1'])
    expect((await run(['retain', 'thinned', '--newest', '1', '--every', '3', '--reason', 'old'])).stdout).toBe(
      '4 snapshots thinned out, 3 kept; 4 texts gone that none of these shows\n',
    )
    const cycles = (await json(['log', 'thinned'])) as { cycles: { cycle: number }[] }
    expect(cycles.cycles.map(({ cycle }) => cycle)).toEqual([7, 6, 3])
    expect((await run(['replay', 'thinned'])).stdout).toBe(
      'the same: 3 snapshots and 0 attempts of 1 context rendered again\n',
    )
    expect((await run(['fsck', 'thinned'])).status).toBe(0)
    expect(await run(['show', 'thinned', '@c4'])).toMatchObject({ status: 1 })
    expect((await run(['show', 'thinned', '@t-2'])).stdout).toBe((await run(['show', 'thinned', '@c3'])).stdout)
    expect((await run(['diff', 'thinned', '@c3', '@c6'])).status).toBe(0)
  })

  it('erases for good', async () => {
    await run(['add', 'secret', '--user', 'My number is 4711'])
    expect((await run(['erase', 'secret', ".block[role='user']", '--reason', 'asked'])).status).toBe(0)
    expect((await run(['thread', 'secret'])).stdout).not.toContain('4711')
  })

  it('lints a selector, a file, and standard input', async () => {
    expect(await run(['lint', ".block[role='user']"])).toMatchObject({ status: 0 })
    const wrong = await run(['lint', file('selectors.txt', '.block\n// a remark\n:cor\n')])
    expect([wrong.status, wrong.stdout]).toEqual([
      1,
      expect.stringMatching(/^ok 1: \.block\nerror 3: column 1: Unknown predicate ":cor"/),
    ])
    expect(await run(['lint'], { stdin: '.block\n' })).toMatchObject({ status: 0, stdout: 'ok 1: .block\n' })
  })
})

describe('mistakes', () => {
  it.each([
    [['shwo'], "pctx: Unknown command 'shwo'. Did you mean show? Try pctx --help."],
    [['show'], "pctx: Missing required argument 'id'. Try pctx show --help."],
    [['log', 'demo-support', '--limit', 'x'], 'pctx: --limit: "x" is no whole number from 1 up. Try pctx log --help.'],
    [['serve', '--port', '99999'], 'pctx: --port: "99999" is no whole number from 0 to 65535. Try pctx serve --help.'],
    [
      ['retain', 'demo-support', '--since', 'now'],
      /^pctx: --since: "now" is no time such as .* Try pctx retain --help\.$/,
    ],
    // The page of a command says nothing about files.
    [['import', 'no-such-file'], 'pctx: There is no file "no-such-file".'],
    [['import', '.'], 'pctx: "." is a folder.'],
  ] as const)('%j is told with where to look', async (args, said) => {
    const { status, stdout, stderr } = await run(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr.trimEnd()).toEqual(typeof said === 'string' ? said : expect.stringMatching(said))
  })
})

describe('pages', () => {
  it('of contexts and names go on where the last one ended', async () => {
    const address = `sqlite:${path.join(folder, 'pages.db')}`
    const many = async (...args: readonly string[]): Promise<RanPctx> => run([...args, '--store', address])
    for (const id of ['a', 'b c', 'd']) await many('add', id, '-q', '--user', 'Hi', '--tag', id, '--tag', 'all')
    const first = JSON.parse((await many('ls', '--limit', '2', '--json')).stdout) as { cursor: string }
    expect(first).toMatchObject({ contexts: [{ id: 'a' }, { id: 'b c' }], cursor: 'b c' })
    const rest = JSON.parse((await many('ls', '--cursor', first.cursor, '--json')).stdout) as object
    expect(rest).toEqual({ contexts: [{ id: 'd', cycle: 1, forks: 0 }] })
    const shown = await run(['ls', '--limit', '2', '--no-color', '--store', address], { columns: 80 })
    expect(shown.stdout).toMatch(/2 contexts\nmore: --cursor "b c"\n$/)
    expect((await many('names', 'a')).stdout).toContain('tag\ta\t1\ntag\tall\t1\n')
    const names = JSON.parse((await many('names', 'a', '--limit', '1', '--json')).stdout) as { cursor: string }
    expect(names).toMatchObject({ tags: [{ name: 'a' }], cursor: '1' })
    const others = JSON.parse((await many('names', 'a', '--cursor', names.cursor, '--json')).stdout) as object
    expect(others).toMatchObject({ tags: [{ name: 'all' }], roles: [] })
    expect(others).not.toHaveProperty('cursor')
  })

  it('of attempts do too', async () => {
    const opened = await openStore(store)
    const ctx = await opened.create('tried')
    ctx.user('Hi')
    for (const model of ['m1', 'm2', 'm3']) ctx.startAttempt({ provider: 'p', model, params: {} }).complete({})
    await ctx.commit()
    await opened.close()
    const first = JSON.parse((await run(['attempts', 'tried', '--limit', '2', '--json'])).stdout) as { cursor: string }
    expect(first).toMatchObject({ attempts: [{ model: 'm1' }, { model: 'm2' }] })
    expect((await run(['attempts', 'tried', '--cursor', first.cursor])).stdout).toMatch(/^\S+\t@c0\tp\tm3\tcompleted/)
    expect((await run(['attempts', 'tried'])).stdout.trimEnd().split('\n')).toHaveLength(3)
    await run(['rm', 'tried'])
  })
})

describe('on a terminal', () => {
  it('has colours, unless somebody says otherwise', async () => {
    const args = ['ls']
    expect((await run(args, { columns: 80 })).stdout).toContain(ESCAPE)
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect((await run(args, { columns: 80, env })).stdout).not.toContain(ESCAPE)
    expect((await run([...args, '--no-color'], { columns: 80 })).stdout).not.toContain(ESCAPE)
    expect((await run(args)).stdout).not.toContain(ESCAPE)
    expect((await run(['log', 'demo-support', '--color'])).stdout).toContain(ESCAPE)
    expect((await run(['log', 'demo-support'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(ESCAPE)
  })

  it('pages what is longer than the screen', async () => {
    const paged = path.join(folder, 'paged.txt')
    const env = { PAGER: `cat > '${paged}'` }
    expect((await run(['show', 'demo-support', '--no-color'], { columns: 80, rows: 5, env })).stdout).toBe('')
    expect(fs.readFileSync(paged, 'utf8')).toContain('^ah')
    expect((await run(['show', 'demo-support', '--no-pager'], { columns: 80, rows: 5, env })).stdout).toContain('^ah')
    expect((await run(['show', 'demo-support'], { columns: 80, rows: 100, env })).stdout).toContain('^ah')
    expect(
      (
        await run(['show', 'demo-support'], {
          columns: 80,
          rows: 5,
          env: { PAGER: 'no-such-pager-anywhere 2>/dev/null' },
        })
      ).stdout,
    ).toContain('^ah')
  })

  it('never gets what contents hold as it is', async () => {
    const hostile = `${ESCAPE}[31mred${ESCAPE}]0;title\u0007 CSI \u009b31m bidi \u202e zero\u200b \u2028 tag \u{e0041} \r\n next`
    const id = `evil ${hostile}`
    await run(['add', id, '--user', hostile, '--kind', hostile, '--tag', hostile, '-q'])
    await run(['add', id, '--assistant', hostile, '--key', 'k', '-q'])
    const node = (await run(['select', id, '.block', '--limit', '1'])).stdout.trim()
    const commands = [
      ['ls'],
      ['log', id],
      ['show', id, '-a'],
      ['select', id, '.block', '--nodes'],
      ['select', id, '@t-1..@t0 .block'],
      ['diff', id, '@t-1', '@t0'],
      ['diff', id, '@t-1', '@t0', '--content'],
      ['explain', id, node],
      ['prefix', id],
      ['render', id, '--for', 'anthropic'],
      ['thread', id],
      ['export', id],
      ['fsck', id],
      ['replay', id],
      ['show', `${id}x`],
      ['rm', `${id}x`],
      ['add', id, '--user', hostile, '--dry-run'],
      ['import', `${hostile}.json`],
      ['lint', hostile],
      [hostile],
      [`--${hostile}`],
    ]
    for (const args of commands) {
      for (const more of [[], ['--json']]) {
        const { stdout, stderr } = await run([...args, ...more, '--no-color'], { columns: 100 })
        // A bar that shows how far something is goes back to the start of its line; on a slow machine there is one.
        const said = `${stdout}${stderr.replaceAll(/\r[^\r\n]*\r/g, (bar) => bar.slice(1, -1))}`
        expect(said, args.join(' ')).not.toMatch(STEERING)
      }
    }
    await run(['rm', id])
  })
})

describe('the help', () => {
  it('is what docs/cli.md says', () => {
    const document = fs.readFileSync(path.join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
    expect(document).toBe(helpDocument(COMMANDS))
  })

  it('has an example of every command', () => {
    const without = COMMANDS.filter(({ group, examples }) => group !== '' && examples.length === 0)
    expect(without.map(({ name }) => name)).toEqual([])
  })

  it('is printed for pctx, for a command, and where nothing is asked', async () => {
    const all = await run(['--help'])
    for (const { name, group } of COMMANDS) expect(all.stdout.includes(`\n  ${name} `)).toBe(group !== '')
    expect(await run([])).toEqual(all)
    expect((await run(['help', 'import'])).stdout).toBe((await run(['import', '--help'])).stdout)
    expect(await run(['--version'])).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' })
  })
})

/** The shell's part of an example: quotes, a pipe, a command in place of a word, output into a file. */
describe('the examples', () => {
  const chat = JSON.stringify([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Ho' },
  ])
  let place = ''
  const env = (): Readonly<Record<string, string>> => ({ PACT_STORE: `sqlite:${path.join(place, 'examples.db')}` })
  beforeAll(async () => {
    place = fs.mkdtempSync(path.join(folder, 'examples-'))
    for (const text of ['Hello', 'And more'])
      await pctx(['add', 'support', '--user', text, '--key', 'k'], { env: env() })
    const results = JSON.stringify([{ op: 'tool', content: 'Found', header: { kind: 'result', data_call_id: 'a' } }])
    await pctx(['apply', 'support'], { env: env(), stdin: results })
    const store = await openStore(env()['PACT_STORE']!)
    const ctx = await store.open('support')
    ctx.startAttempt({ for: toOpenAIChat, params: { model: 'gpt-5' } }).complete()
    await store.close()
  })

  // Those that go on until they are ended are run as processes.
  const examples = COMMANDS.flatMap(({ name, examples: given }) =>
    given.filter(({ isLasting = false }) => !isLasting).map((example) => ({ name, ...example })),
  )
  // Nodes that one command removes are not needed by later ones.
  it.each(examples)('of $name: $line', async ({ line, status = 0 }) => {
    const { before, words } = await shellWords(line)
    const files: Readonly<Record<string, string>> = {
      'chat.json': file('chat.json', chat),
      'chat.html': path.join(place, 'chat.html'),
      'sqlite:other.db': `sqlite:${path.join(place, 'other.db')}`,
    }
    const [program, ...args] = words.map((word) => files[word] ?? word)
    expect(program).toBe('pctx')
    const ran = await pctx(args, { env: env(), ...(before === undefined ? {} : { stdin: before }) })
    expect([ran.status, ran.stderr.includes('pctx: ')]).toEqual([status, false])
    if (status === 0) expect(ran.stdout.length > 0 || line.startsWith('pctx attempts')).toBe(true)
  })

  async function shellWords(line: string): Promise<Readonly<{ before: string | undefined; words: readonly string[] }>> {
    const [, echoed, catted, rest = ''] = /^(?:echo '([^']*)' \| |cat (\S+) \| )?([^]*)$/.exec(line) ?? []
    const [, command = rest] = /^([^]*?)(?: > \S+)?$/.exec(rest) ?? []
    const inner = /"\$\(pctx ([^)]*)\)"/.exec(command)
    const put = inner === null ? '' : (await pctx(split(inner[1] ?? ''), { env: env() })).stdout.trim()
    const words = split(inner === null ? command : command.replace(inner[0], put))
    return { before: echoed ?? (catted === undefined ? undefined : chat), words }
  }

  function split(text: string): readonly string[] {
    return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
    )
  }
})

describe('completion', () => {
  it.each([
    [['sh'], ['show']],
    [['show', 'demo'], ['demo-support']],
    [
      ['show', 'demo-support', ''],
      ['@t0', '@t-1', 'working', 'preview'],
    ],
    [['show', '--al'], ['--all']],
    [
      ['render', 'demo-support', '--for', 'g'],
      ['gemini', 'gemini-interactions'],
    ],
    [['import', ''], ['__files__']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['ls', ''], []],
    // An option's value is no argument, and no file where it is a number.
    [['add', '--ttl', '5', 'demo'], ['demo-support']],
    [['add', '--ttl', ''], []],
    [
      ['render', 'demo-support', '--for=a'],
      ['--for=anthropic', '--for=ai-sdk'],
    ],
    [['--json', 'sh'], ['show']],
    [
      ['--store', 'show', 'l'],
      ['ls', 'log', 'lint'],
    ],
    [['--store', 'memory:', 'show', 'demo'], []],
    [['--store=memory:', 'show', 'demo'], []],
    [['hel'], ['help']],
    [['help', 'sho'], ['show']],
    [['show', 'demo-support', '@t0', ''], []],
  ])('of %j offers %j', async (words, offered) => {
    const { stdout } = await run(['__complete', '--', ...words])
    expect(
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .filter((line) => !/^(?:again|chat|mixed|piped|secret)/.test(line)),
    ).toEqual(offered)
  })
})
