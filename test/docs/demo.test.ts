// `npm start` is the first thing anybody runs, so the demo is run here as they run it: as a process, on the built package.
// Starting one costs more than a run does, so most runs share a process (support/run-demos.mjs), and those of a process
// of their own show that it makes no difference.

import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { loadConversation } from '../../demo/conversation.mjs'
import type { Report, Row, Tree } from '../../demo/run.mjs'
import { clip, columns, escapeJson, paint } from '../../demo/text.mjs'
import { recordedLines } from '../support/providers/recorded.js'
import { isWider } from '../support/runs.js'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const script = path.join(root, 'demo', 'demo.mjs')
const names = ['airline', 'stocks', 'decorators', 'family']

/** Whatever could steer a terminal, our own line breaks aside. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const ESCAPE = '\u001b'

let folder = ''
beforeAll(() => void (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-demo-'))))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe('the tour', () => {
  it.each(names)('prints the same text on every run, whatever the time zone and language: %s', async (name) => {
    const { stdout } = runAlone(['--conversation', name])
    expect(stdout).toContain('The tree at @t0')
    expect(await tour(['--conversation', name])).toBe(stdout)
    const elsewhere = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'de_DE.UTF-8' }
    expect(runAlone(['--conversation', name], elsewhere)).toEqual({ status: 0, stdout, stderr: '' })
  })

  it('fits about two screens and ends with three things to try', async () => {
    const lines = (await tour([])).trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(97)
    expect(lines.slice(-4)[0]).toContain('Three things to try next')
    expect(lines.slice(-3).every((line) => line.includes('npm start -- '))).toBe(true)
  })

  it('names everything its tree holds: zones, coordinates, roles, TTLs, sizes', async () => {
    const text = await tour(['--conversation', 'airline', '--all'])
    for (const row of blocks((await report('airline')).tree)) {
      const line = text.split('\n').find((each) => /[├└]/.test(each) && each.includes(`${row.coordinate} `))
      expect(line, row.id).toBeDefined()
      expect(line).toContain(`~${row.tokens.toLocaleString('en-US')} tok`)
      if (row.role !== null) expect(line).toContain(row.role)
      if (row.kind !== null) expect(line).toContain(row.kind)
      if (row.ttl !== null) expect(line).toContain(`ttl ${row.ttl}`)
      if (row.zone !== 'core' && row.zone !== null) expect(line).toContain(row.zone)
    }
  })

  it.each(names)('prints the numbers that --json holds: %s', async (name) => {
    const text = await tour(['--conversation', name, '--all'])
    const { commits, thread, proof, pruning } = await report(name)
    for (const commit of commits) {
      const bytes = commit.thread.bytes.toLocaleString('en-US')
      expect(text).toMatch(new RegExp(`commit ${commit.cycle} .*${commit.nodes} nodes, thread ${bytes} bytes`))
    }
    expect(text).toContain(`${thread.items.length} items, ${thread.bytes.toLocaleString('en-US')} bytes`)
    expect(text).toContain(`sha256 ${thread.sha256}`)
    expect(thread).toMatchObject({ bytes: commits.at(-1)?.thread.bytes, sha256: commits.at(-1)?.thread.sha256 })
    expect(text).toContain(`${proof.snapshots.length} of ${proof.snapshots.length} snapshots unchanged`)
    expect(text).toContain(`maxNodes: ${pruning?.policy.maxNodes}`)
    expect(text).not.toContain('DIFFERENT')
  })

  it.each([40, 100])('keeps every line within %i columns', async (width) => {
    for (const name of names) {
      const text = (await run(['--no-color', '--all', '--conversation', name], {}, width)).stdout
      for (const line of text.split('\n')) expect(columns(line), line).toBeLessThanOrEqual(width)
    }
  })
})

describe('what the run shows', () => {
  it.each(names)('leaves every earlier snapshot as it was, and survives export and import: %s', async (name) => {
    const { proof, commits } = await report(name)
    expect(proof.snapshots.map(({ lens }) => lens)).toEqual(
      commits.map((_, back) => (back === 0 ? '@t0' : `@t-${back}`)),
    )
    expect(proof.snapshots.every(({ same, now, atCommit }) => same && now === atCommit)).toBe(true)
    expect(new Set(proof.snapshots.map(({ now }) => now)).size).toBe(commits.length)
    expect(proof.roundTrip).toMatchObject({ same: true, sha256: commits.at(-1)?.export.sha256 })
  })

  it('keeps a ttl 1 block in one snapshot and a ttl 2 block in two (D24)', async () => {
    const [first, second, third] = (await report('airline')).commits
    const plan = first?.added.find((row) => row.kind === 'plan')
    const note = first?.added.find((row) => row.kind === 'note')
    expect([plan?.ttl, note?.ttl]).toEqual([1, 2])
    expect(second?.gone.map(({ row, why }) => [row.id, why])).toEqual([[plan?.id, 'ttl']])
    expect(second?.ttl.map(({ row, from, to }) => [row.id, from, to])).toEqual([[note?.id, 2, 1]])
    expect(third?.gone.map(({ row }) => row.id)).toContain(note?.id)
  })

  it.each(names)('holds every word of the recording, in its order, and one commit per turn: %s', async (name) => {
    const { tree, conversation, commits } = await report(name)
    const recorded = blocks(tree).filter((row) => row.kind !== 'plan' && row.kind !== 'note')
    const words = recorded.filter((row) => row.kind !== 'call').map((row) => row.content)
    expect(words).toEqual(wordsOf(JSON.parse(fs.readFileSync(recording(`${name}.json`), 'utf8')) as Recording))
    expect(recorded.filter((row) => row.role === 'user').length).toBe(conversation.turns)
    expect(commits.length).toBe(Math.max(2, conversation.turns))
    const answered = recorded.filter((row) => row.kind === 'result').flatMap((row) => row.callIds)
    expect(recorded.filter((row) => row.kind === 'call').flatMap((row) => row.callIds)).toEqual(answered)
  })

  it.each(names)('prunes a call and its results together, and says so (D27): %s', async (name) => {
    const { pruning } = await report(name)
    const removed = pruning?.removed.map(({ row }) => row) ?? []
    const calls = removed.filter((row) => row.kind === 'call')
    expect(calls.length).toBe(1)
    const results = removed.filter((row) => row.kind === 'result').flatMap((row) => row.callIds)
    expect(results.toSorted()).toEqual(calls.flatMap((row) => row.callIds).toSorted())
    expect((await tour(['--conversation', name])).replaceAll(/\s+/g, ' ')).toContain(
      'a call never stays without its result',
    )
  })

  it.each(names)('comes back from disk as it was, with what was committed there and nothing else: %s', async (name) => {
    const { survival, commits } = await report(name)
    expect(survival).toMatchObject({
      snapshots: commits.length,
      same: commits.length,
      cycle: commits.length + 1,
      said: '[demo] And one thing more.',
      open: 0,
      rows: commits.length + 1,
      sound: true,
    })
    const text = await tour(['--conversation', name])
    expect(text).toContain(`${commits.length} of ${commits.length} snapshots as they were`)
    expect(text).toContain(`${survival!.bytes.toLocaleString('en-US')} bytes on disk`)
  })

  it('leaves nothing behind on disk', async () => {
    const temporary = path.join(folder, 'temporary')
    fs.mkdirSync(temporary)
    runAlone([], { TMPDIR: temporary, TEMP: temporary })
    expect(fs.readdirSync(temporary)).toEqual([])
  })

  it('puts four parallel calls into one block that leaves with its four results', async () => {
    expect((await report('family')).pruning?.removed.map(({ row }) => row.kind)).toHaveLength(5)
  })
})

describe('options', () => {
  it('prints plain text into a pipe and colours on a terminal', async () => {
    expect(await tour([])).not.toContain(ESCAPE)
    const { stdout } = runAlone([], {}, terminal(100))
    expect(stdout).toContain(`${ESCAPE}[`)
    expect((await run([], {}, 100)).stdout).toBe(stdout)
    expect((await run(['--color'])).stdout).toContain(`${ESCAPE}[`)
    expect((await run([], { FORCE_COLOR: '1' })).stdout).toContain(`${ESCAPE}[`)
    expect((await run([], { NO_COLOR: '1' }, 100)).stdout).not.toContain(ESCAPE)
    expect((await run([], { TERM: 'dumb' }, 100)).stdout).not.toContain(ESCAPE)
    expect((await run(['--no-color'], { FORCE_COLOR: '1' }, 100)).stdout).not.toContain(ESCAPE)
  })

  it('prints the same text with and without colours', async () => {
    const colored = (await run(['--color'])).stdout
    const bare = colored.replaceAll(new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g'), '')
    expect(bare.replaceAll(/ +$/gm, '')).toBe(await tour([]))
  })

  it('lists every recording with its source and licence', async () => {
    const list = await tour(['--list'])
    const readme = fs.readFileSync(recording('README.md'), 'utf8')
    const files = fs.readdirSync(recording('')).filter((file) => file.endsWith('.json'))
    expect(files.toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
    for (const file of files) {
      const text = fs.readFileSync(recording(file), 'utf8')
      const { source, licence, record } = JSON.parse(text) as { source: string; licence: string; record: string }
      expect(list).toContain(path.basename(file, '.json'))
      expect(list).toContain(source.replace('https://github.com/', ''))
      for (const part of [file, source, licence, record]) expect(readme).toContain(part)
    }
  })

  it('explains itself', async () => {
    const help = await tour(['--help'])
    for (const option of ['--conversation', '--list', '--all', '--json', '--color', '--no-color', '--help']) {
      expect(help).toContain(option)
    }
  })

  it.each([
    [['--colour'], 'There is no option --colour.'],
    [['--all=yes'], '--all takes no value.'],
    [['--conversation'], '--conversation needs a name'],
    [['--conversation', 'nobody'], 'There is no conversation "nobody". Known: airline'],
    [['--conversation=./missing.json'], 'There is no file "./missing.json".'],
    [['stocks'], 'Did you mean --conversation stocks?'],
    [[`--${ESCAPE}[31m`], String.raw`There is no option --\x1b[31m.`],
  ])('refuses %j with one sentence and exit code 2', async (args, message) => {
    const result = await run(args)
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain(message)
    expect(result.stderr).not.toMatch(STEERING)
  })

  it('refuses with exit code 2 as a process of its own, too', async () => {
    const result = runAlone(['stocks'])
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(await run(['stocks'])).toEqual(result)
  })

  it('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [script, '--all'], { cwd: root, env: environment() })
    child.stdout.destroy()
    let complaints = ''
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, complaints]).toEqual([0, ''])
  })
})

describe('a file of your own', () => {
  const hostile = [
    `${ESCAPE}[31mred${ESCAPE}[0m ${ESCAPE}]0;title\u0007`,
    'NUL \u0000 DEL \u007f CSI \u009b31m',
    'bidi \u202e desrever \u202c \u2066 isolate \u2069 \u200f',
    'break \u2028 \u2029 zero \u200b\ufeff width, tag \u{e0041}',
  ].join(' / ')

  it('prints hostile content escaped, as text and as JSON', async () => {
    const file = own('hostile.json', {
      title: hostile,
      source: hostile,
      licence: hostile,
      record: hostile,
      demo: { plan: hostile, note: hostile },
      messages: [
        { role: 'system', content: hostile },
        { role: 'user', content: hostile },
        {
          role: 'assistant',
          content: hostile,
          tool_calls: [{ id: hostile, function: { name: hostile, arguments: JSON.stringify({ [hostile]: hostile }) } }],
        },
        { role: 'tool', tool_call_id: hostile, content: hostile },
        { role: 'user', content: [{ type: 'text', text: hostile }] },
      ],
    })
    for (const text of [
      await tour(['--conversation', file, '--all']),
      (await run(['--conversation', file, '--all', '--json'])).stdout,
    ]) {
      expect(text).not.toMatch(STEERING)
    }
    const wide = (await run(['--conversation', file, '--all', '--no-color'], {}, 1_000)).stdout
    for (const spelled of [
      String.raw`\x1b[31mred`,
      String.raw`\x00`,
      String.raw`\x9b`,
      String.raw`\u202e`,
      String.raw`\u{e0041}`,
    ]) {
      expect(wide).toContain(spelled)
    }
    const colored = (await run(['--conversation', file, '--all', '--color'])).stdout
    expect(colored.replaceAll(new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g'), '')).not.toMatch(STEERING)
    const shown = JSON.parse((await run(['--conversation', file, '--json'])).stdout) as Report
    expect(blocks(shown.tree).find((row) => row.role === 'user')?.content).toBe(hostile)
  })

  it('takes a bare list of messages, and messages as real logs have them', async () => {
    const file = own('odd.json', [
      { role: 'assistant', content: 'I speak first.' },
      { role: 'user', content: '' },
      { role: 'user', content: 'First' },
      { role: 'user', content: 'Second, in a row' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{not JSON' } }] },
      { role: 'tool', tool_call_id: 'nobody', content: null },
      { role: 'critic', content: ['a bare string', { type: 'image_url', image_url: { url: 'data:,' } }] },
    ])
    const { conversation, commits } = JSON.parse((await run(['--conversation', file, '--json'])).stdout) as Report
    expect([conversation.turns, commits.length]).toEqual([4, 4])
    const text = await tour(['--conversation', file, '--all'])
    for (const part of ['f("{not JSON")', 'critic']) expect(text).toContain(part)
  })

  it('reads a call, a result and an answer wherever the chat format has had them', async () => {
    const file = own('calls.json', {
      messages: [
        { role: 'user', content: 'What is the weather?' },
        { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{"city":"Rome"}' } },
        { role: 'function', name: 'old', content: 'Rain' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'new', input: 'Oslo' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'Snow' },
        { role: 'assistant', content: null, refusal: 'I would rather not say.' },
      ],
      response: { choices: [{ index: 0, message: { role: 'assistant', content: 'It snows.' } }] },
    })
    const { tree, conversation } = JSON.parse(await tour(['--conversation', file, '--json'])) as Report
    const said = blocks(tree).filter((row) => row.kind !== 'plan' && row.kind !== 'note')
    expect(said.map(({ role, kind, content }) => [role, kind, content])).toEqual([
      ['user', null, 'What is the weather?'],
      ['assistant', 'call', { name: 'old', arguments: { city: 'Rome' } }],
      ['tool', 'result', 'Rain'],
      ['assistant', 'call', { name: 'new', arguments: 'Oslo' }],
      ['tool', 'result', 'Snow'],
      ['assistant', null, 'I would rather not say.'],
      ['assistant', null, 'It snows.'],
    ])
    expect([conversation.messages, conversation.unread]).toEqual([7, []])
  })

  it('names what it does not show, on stderr and in --json', async () => {
    const file = own('more.json', {
      instructions: 'Be brief.',
      system: [{ type: 'text', text: 'Rules', citations: ['a'] }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hi', annotations: ['b'], cache_control: { type: 'ephemeral' } }],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a', name: 'f', input: {}, caller: { type: 'direct' } }],
          reasoning_content: 'They greet.',
          audio: null,
          usage: { input_tokens: 1 },
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'boom', is_error: true }] },
        { role: 'assistant', content: 'a', value: 'b' },
      ],
    })
    const names = ['annotations', 'caller', 'citations', 'instructions', 'is_error', 'reasoning_content', 'value']
    const shown = await run(['--conversation', file, '--json'])
    expect((JSON.parse(shown.stdout) as Report).conversation.unread).toEqual(names)
    expect(shown).toMatchObject({ status: 0, stderr: `Not shown of "more": ${names.join(', ')}.\n` })
  })

  const CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const PARTS = [{ functionCall: { name: 'f', args: {} } }]
  const HI = { role: 'user', content: 'Hi' }
  const SHAPES: readonly (readonly [name: string, file: unknown, format: string])[] = [
    ['chat', { messages: [HI] }, 'openai-chat'],
    ['responses', { model: 'm', input: [HI, CALL] }, 'openai-responses'],
    ['responses, of one text', { model: 'm', input: 'Hi' }, 'openai-responses'],
    ['responses, a list', [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }], 'openai-responses'],
    ['responses, as messages', { messages: [HI, CALL] }, 'openai-responses'],
    ['responses, an answer', { output: [{ type: 'reasoning', summary: [] }] }, 'openai-responses'],
    ['responses, with its answer', { messages: [HI], response: [{ type: 'reasoning' }] }, 'openai-responses'],
    ['claude', { system: 'Be brief.', messages: [HI] }, 'anthropic'],
    ['gemini', { contents: [{ parts: [{ text: 'Hi' }] }] }, 'gemini'],
    ['gemini, a list', [{ role: 'model', parts: PARTS }], 'gemini'],
    ['ai sdk', [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', input: {} }] }], 'ai-sdk'],
    ['sharegpt', [{ from: 'human', value: 'Hi' }], 'sharegpt'],
    ['llamafactory', [{ role: 'user', content: [{ type: 'text', value: 'Hi' }] }], 'llamafactory-v1'],
    ['pi', [HI, { role: 'toolResult', toolCallId: 'c', content: [] }], 'pi-agent'],
  ]
  it.each(SHAPES)('reads %s by its shape', async (name, value, format) => {
    const file = own(`${name.replaceAll(/\W+/g, '-')}.json`, value)
    const { conversation } = JSON.parse(await tour(['--conversation', file, '--json'])) as Report
    expect([conversation.format, conversation.unread]).toEqual([format, []])
  })

  const OTHER: readonly (readonly [name: string, file: unknown, message: string])[] = [
    ['ui messages', { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }, 'UI messages of'],
    [
      'older ui messages',
      [{ role: 'assistant', content: '', toolInvocations: [{ state: 'result' }] }],
      'UI messages of',
    ],
    ['an unknown format', { format: 'cohere-v2', messages: [HI] }, '"cohere-v2"'],
    ['an export', { spec_version: 'PACT/1.0.0', root: {} }, 'an export of this package, which importSnapshot reads'],
  ]
  it.each(OTHER)('refuses by its name: %s', async (name, value, shape) => {
    const file = own(`${name.replaceAll(/\W+/g, '-')}.json`, value)
    const result = await run(['--conversation', file])
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain(`looks like ${shape}`)
  })

  it.each([
    ['broken.json', '{\n  "messages": [\n    {"role": }\n  ]\n}', 'Line 3 of "broken" is not JSON'],
    ['cut.json', '{\n  "messages": [', 'Line 2 of "cut" is not JSON'],
    ['broken.jsonl', '{"role":"user","content":"a"}\n\n{"role":\n', 'Line 3 of "broken" is not JSON'],
    ['empty.jsonl', '\n', 'is empty'],
    ['empty.json', '[]', 'holds no turn'],
    ['none.json', '{"a":1}', 'has no list of "messages"'],
    ['number.json', '[1]', 'messages[0] is not an object'],
    ['nobody.json', '[{"content":"Who says this?"}]', 'messages[0] has no role. Conversations of OpenAI'],
  ])('says what is wrong with %s', async (name, text, message) => {
    fs.writeFileSync(path.join(folder, name), text)
    const result = await run(['--conversation', path.join(folder, name)])
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain(message)
  })

  it('reads JSON Lines: a message on each line, or a conversation on each, one of which is chosen', async () => {
    const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\r\n`).join('')
    for (const name of ['said.jsonl', 'said.json']) {
      fs.writeFileSync(path.join(folder, name), lines([HI, { role: 'assistant', content: 'Ho' }]))
      const { conversation } = JSON.parse(await tour(['--conversation', path.join(folder, name), '--json'])) as Report
      expect([conversation.messages, conversation.turns]).toEqual([2, 1])
    }
    const file = path.join(folder, 'many.jsonl')
    fs.writeFileSync(file, lines([{ messages: [HI] }, { contents: [{ role: 'user', parts: [{ text: 'Second' }] }] }]))
    const first = await run(['--conversation', file])
    expect(first).toMatchObject({
      status: 0,
      stderr: 'Not shown of "many": 1 more conversations (add #2 to #2 to the name).\n',
    })
    expect(await tour(['--conversation', `${file}#2`])).toContain('Second')
    expect(await run(['--conversation', `${file}#3`])).toMatchObject({ status: 2, stdout: '' })
  })

  it('folds a long one without --all', async () => {
    const messages = Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `Line ${at}`,
    }))
    const file = own('long.json', messages)
    expect((await tour(['--conversation', file])).split('\n').length).toBeLessThanOrEqual(100)
    expect(await tour(['--conversation', file, '--all'])).toContain('Line 31')
  })
})

describe('the recordings of others', () => {
  it('are all read, but for one format, and what is not shown is named', async () => {
    const refused = new Set<string>()
    // One in four; all of them in a wide run.
    for (const { name, record } of recordedLines().filter((_, at) => isWider() || at % 4 === 0)) {
      const file = own('recorded.json', record)
      const format = String(record['format'])
      if (format === 'cohere-v2') {
        await expect(loadConversation(file)).rejects.toThrow(`looks like "${format}"`)
        refused.add(format)
        continue
      }
      const { system, turns, unread } = await loadConversation(file)
      const shown = stringsIn([system, turns]).map(([, text]) => text)
      const known = new Set(shown)
      const all = shown.join('\n')
      const { messages, response, instructions, systemInstruction } = record
      const given = { messages, response, system: record['system'], instructions, systemInstruction }
      const lost = stringsIn(given).filter(([keys, text]) => {
        // Arguments are shown as a value; ids, names of items and of models are no words of anybody.
        if (text.length < 20 || ['id', 'type', 'model'].includes(keys.at(-1)!) || known.has(text)) return false
        return !keys.some((key) => unread.includes(key)) && !all.includes(text) && !isJson(text)
      })
      expect(lost, name).toEqual([])
    }
    expect([...refused].toSorted()).toEqual(['cohere-v2'])
  })
})

/** Every string in a value, with the keys that lead to it. */
function stringsIn(value: unknown, keys: readonly string[] = []): (readonly [keys: readonly string[], text: string])[] {
  if (typeof value === 'string') return [[keys, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => stringsIn(inner, [...keys, key]))
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

describe('text', () => {
  it.each([
    ['plain text', 20, 'plain text'],
    ['plain text', 10, 'plain text'],
    ['plain text', 9, 'plain te…'],
    ['苹果公司', 8, '苹果公司'],
    ['苹果公司', 7, '苹果公…'],
    ['苹果公司', 6, '苹果…'],
    ['a👩‍👩‍👧b', 4, 'a👩‍👩‍👧b'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['é́x', 1, '…'],
    ['x', 0, ''],
  ])('cuts %j to %i columns', (text, width, expected) => {
    expect(clip(text, width)).toBe(expected)
    expect(columns(clip(text, width))).toBeLessThanOrEqual(width)
  })

  it('keeps the value when it escapes JSON', () => {
    const value = { text: `a\u007f\u202e\u{e0041}\u2028\n${ESCAPE}`, list: [1, '\u009b'] }
    const text = escapeJson(JSON.stringify(value, null, 2))
    expect(text).not.toMatch(STEERING)
    expect(JSON.parse(text)).toEqual(value)
  })

  it('never paints beyond the cut', () => {
    const line = [
      ['bold', '苹果'],
      ['dim', '公司'],
      ['good', 'end'],
    ] as const
    expect(paint(line, { width: 5, color: false })).toBe('苹果…')
    expect(paint(line, { width: 5, color: true })).toBe(`${ESCAPE}[1m苹果${ESCAPE}[0m${ESCAPE}[2m…${ESCAPE}[0m`)
  })

  it('shows the package as others use it: by its name, and Node itself; files are read as pctx reads them', () => {
    const files = fs.readdirSync(path.join(root, 'demo')).filter((file) => file.endsWith('.mjs'))
    for (const file of files) {
      const source = fs.readFileSync(path.join(root, 'demo', file), 'utf8')
      for (const [, from = ''] of source.matchAll(/^import .* from '([^']+)'$/gm)) {
        expect(from, file).toMatch(
          /^(?:pact-context(?:\/[a-z-]+)?|node:[a-z]+|\.\/[a-z]+\.mjs|\.\.\/dist\/commands\/importing\/[a-z-]+\.js)$/,
        )
      }
    }
  })
})

type Ran = { status: number | null; stdout: string; stderr: string }

/** A process for this run alone, as `npm start` makes one. */
function runAlone(args: readonly string[], env: NodeJS.ProcessEnv = {}, node: readonly string[] = []): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, script, ...args], {
    cwd: root,
    env: environment(env),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

let runner: ChildProcess | undefined
afterAll(() => void runner?.kill())

/** A run in the process that has loaded the package already; with a width, on a terminal. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, width?: number): Promise<Ran> {
  runner ??= fork(path.join(root, 'test', 'support', 'run-demos.mjs'), [script], { cwd: root, execArgv: [] })
  runner.send({ args, env: environment(env), width })
  const [ran] = (await once(runner, 'message')) as [Ran]
  return ran
}

const tours = new Map<string, string>()

/** The text of a run that has to succeed; each is made once. */
async function tour(args: readonly string[]): Promise<string> {
  const known = tours.get(args.join('\n'))
  if (known !== undefined) return known
  const { status, stdout, stderr } = await run(args)
  expect([status, stderr]).toEqual([0, ''])
  tours.set(args.join('\n'), stdout)
  return stdout
}

async function report(name: string): Promise<Report> {
  return JSON.parse(await tour(['--conversation', name, '--json'])) as Report
}

function recording(file: string): string {
  return path.join(root, 'demo', 'conversations', file)
}

type Part = { type: string; text?: string; content?: string }
type Message = { role?: string; from?: string; content?: string | Part[] | null; value?: string }
type Recording = { system?: string; messages: Message[]; response?: Message }

/** The texts of a conversation, read more simply than the demo does: by the keys that these four files use. */
function wordsOf({ system, messages, response }: Recording): string[] {
  const said = [...(system === undefined ? [] : [{ content: system }]), ...messages, ...(response ? [response] : [])]
  return said.flatMap((message: Message) => {
    if (message.from === 'function_call') return []
    const content = message.content ?? message.value ?? []
    const parts = typeof content === 'string' ? [content] : content.map((part) => part.text ?? part.content ?? '')
    return parts.filter((part) => part !== '')
  })
}

/** Makes the process believe in a terminal; real ones are not to be had everywhere. */
function terminal(width: number): string[] {
  return ['--import', `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${width}})`]
}

/** Only what Node needs to start: the test runner's own colour settings must not leak in. */
function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH === undefined ? {} : { PATH }), ...(SystemRoot === undefined ? {} : { SystemRoot }), ...extra }
}

function own(name: string, value: unknown): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, JSON.stringify(value))
  return file
}

function blocks(tree: Tree): Row[] {
  return tree.children.flatMap((child) => [...(child.nodeType === 'block' ? [child] : []), ...blocks(child)])
}
