// Files as people have them: every shape by its looks, sessions of agents, broken lines by their number.

import { describe, expect, it } from 'vitest'

import { openStore } from '../../store/index.js'
import { importFile, type ImportedFile, type ImportFileInput } from './import-file.js'
import { readLines } from './lines.js'
import { findConversations } from './conversations.js'
import { readConversation } from './read-conversation.js'

const HI = { role: 'user', content: 'Hi' }
const HO = { role: 'assistant', content: 'Ho' }
const STEP = { type: 'user_input', content: [{ type: 'text', text: 'Hi' }] }
const CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }

describe('the shape of a conversation', () => {
  it.each([
    ['openai-chat', { messages: [HI] }],
    ['openai-responses', { model: 'm', input: [HI, CALL] }],
    ['openai-responses', { model: 'm', input: 'Hi' }],
    ['openai-responses', { messages: [HI], response: [{ type: 'reasoning', summary: [] }] }],
    ['anthropic', { system: 'Be brief.', messages: [HI] }],
    ['gemini', { contents: [{ parts: [{ text: 'Hi' }] }] }],
    ['gemini-interactions', { system_instruction: 'Be brief.', input: [STEP, { type: 'thought', signature: 's' }] }],
    ['gemini-interactions', { input: [STEP], response: { steps: [{ type: 'model_output', content: [] }] } }],
    ['gemini-interactions', { id: 'v1', steps: [STEP, { type: 'model_output', content: [] }] }],
    ['ai-sdk', [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }] }]],
    ['sharegpt', [{ from: 'human', value: 'Hi' }]],
    ['llamafactory-v1', [{ role: 'user', content: [{ type: 'text', value: 'Hi' }] }]],
    ['pi-agent', [HI, { role: 'toolResult', toolCallId: 'c', content: [] }]],
    ['mistral', [HI, { role: 'assistant', toolCalls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] }]],
    ['anthropic', { format: 'anthropic', messages: [HI] }],
    ['gemini', { format: 'google-gemini', messages: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
  ])('is told by its looks: %s', (format, body) => {
    const read = readConversation(body)
    expect([read.format, read.unread]).toEqual([format, []])
    expect(read.context.cycle).toBe(2)
  })

  it.each([
    [{ a: 1 }, 'It has no list of "messages".'],
    [[1], 'messages[0] is not an object.'],
    [[{ content: 'Who?' }], 'messages[0] has no role.'],
    [{ format: 'cohere-v2', messages: [HI] }, 'It looks like "cohere-v2".'],
    [
      { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
      'It looks like UI messages of the AI SDK',
    ],
  ])('is refused by its name: %j', (body, message) => {
    expect(() => readConversation(body)).toThrow(message)
  })

  it('names what is there and has no place', () => {
    const { unread } = readConversation({ instructions: 'Be brief.', messages: [HI], prompt: 'x', images: [] })
    expect(unread).toEqual(['instructions', 'prompt'])
  })

  it('is the one that it is told to be', () => {
    expect(readConversation({ format: 'cohere-v2', messages: [HI] }, { format: 'openai-chat' }).format).toBe(
      'openai-chat',
    )
  })
})

describe('the values of a file', () => {
  it('are one for each line, whatever the ends of lines and the mark at the beginning', async () => {
    const { contexts } = await imported(`\ufeff${line({ messages: [HI] })}\r\n\r\n${line({ messages: [HI, HO] })}`)
    expect(contexts.map(({ line, id, messages }) => [line, id, messages])).toEqual([
      [1, 'file-1', 1],
      [3, 'file-2', 2],
    ])
  })

  it.each([
    ['a document', JSON.stringify({ messages: [HI, HO] }, null, 2)],
    ['a document in one line', JSON.stringify([HI, HO])],
    ['a message on each line', `${line(HI)}\n${line(HO)}\n`],
  ])('make one conversation: %s', async (_, text) => {
    const { contexts, unread } = await imported(text)
    expect([contexts.map(({ id, messages }) => [id, messages]), unread]).toEqual([[['file', 2]], []])
  })

  it('are a list of conversations, with names of their own, of which no two are the same', async () => {
    const list = [{ id: 'a', messages: [HI] }, { messages: [HI] }, { id: 'a', messages: [HO] }]
    const { contexts } = await imported(JSON.stringify(list, null, 1))
    expect(contexts.map(({ id }) => id)).toEqual(['a', 'file-2', 'a-2'])
    const named = await imported(JSON.stringify(list), { id: 'b' })
    expect(named.contexts.map(({ id }) => id)).toEqual(['b-1', 'b-2', 'b-3'])
  })

  it.each([
    ['a broken line', `${line({ messages: [HI] })}\n{"messages":\n${line({ messages: [HI] })}\n`, [2], 2],
    ['a broken first line', `{"messages": [{]\n${line({ messages: [HI] })}\n`, [1], 1],
    ['a first line that was cut', `{"messages": [\n${line({ messages: [HI] })}\n${line({ messages: [HO] })}`, [1], 2],
    ['a broken document', '{\n  "messages": [\n    {"role": }\n  ]\n}', [3], 0],
    ['a document that was cut', '{\n  "messages": [', [2], 0],
    ['no text at all', '\n', [], 0],
  ])('are named by their lines where they are none: %s', async (_, text, lines, count) => {
    const { contexts, unread } = await imported(text)
    expect([unread.map(({ line }) => line), contexts.length]).toEqual([lines, count])
  })

  it('keep every digit', async () => {
    const store = await openStore('memory:')
    const call = { type: 'tool_use', id: 'c', name: 'f' }
    const text = `{"messages":[{"role":"assistant","content":[${line(call).slice(0, -1)},"input":{"n":12345678901234567890}}]}]}`
    await importFile(store, { chunks: bytes(text), name: 'file' })
    const ctx = await store.open('file')
    expect(new TextDecoder().decode(ctx.threadBytes('@t0'))).toContain('12345678901234567890')
  })

  it('are not held where a line is too long or no UTF-8', async () => {
    const found = []
    const chunks = [
      Buffer.from('{"a":1}\n{"b":'),
      Buffer.from('2'.repeat(50)),
      Buffer.from('}\n{"c":3}\n\xff', 'latin1'),
    ]
    for await (const each of readLines(stream(chunks), 40)) found.push(each)
    expect(found).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 2, reason: 'It is longer than 40 bytes.' },
      { line: 3, text: '{"c":3}' },
      { line: 4, reason: 'It is not UTF-8.' },
    ])
  })

  it('are the same however the bytes are cut', async () => {
    const text = `${line({ messages: [{ role: 'user', content: 'Grüße 👋🏽' }] })}\n${line({ messages: [HI] })}\n`
    const all = Buffer.from(text)
    const found = []
    const single = Array.from(all, (_, i) => all.subarray(i, i + 1))
    for await (const each of findConversations(stream(single))) found.push(each)
    expect(found.map((each) => ('body' in each ? each.body : each))).toEqual(text.trim().split('\n').map(parse))
  })
})

describe('a session of an agent', () => {
  it('of pi is read along the branch that it ended on', async () => {
    const text = [
      { type: 'session', version: 3, id: 'pi-1', timestamp: '2026-01-01T00:00:00Z', cwd: '/' },
      { type: 'message', id: 'a', parentId: null, message: HI },
      {
        type: 'message',
        id: 'b',
        parentId: 'a',
        message: { role: 'assistant', content: [{ type: 'text', text: 'No' }] },
      },
      { type: 'model_change', id: 'c', parentId: 'a', modelId: 'm' },
      { type: 'message', id: 'd', parentId: 'c', message: { role: 'bashExecution', command: 'ls' } },
      {
        type: 'message',
        id: 'e',
        parentId: 'd',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] },
      },
    ]
    const { contexts } = await imported(text.map(line).join('\n'))
    expect(contexts).toMatchObject([{ id: 'pi-1', format: 'pi-agent', messages: 3, status: 'imported' }])
    expect(contexts[0]?.unread).toEqual([
      { line: 3, what: 'an entry of a branch that was left' },
      { line: 4, what: 'an entry of the type "model_change"' },
    ])
  })

  it('of Claude Code joins the parts of an answer and leaves out what was written anew', async () => {
    const entry = (uuid: string, parentUuid: string | null, message: object, more: object = {}): object => ({
      type: (message as { role: string }).role,
      uuid,
      parentUuid,
      sessionId: 's',
      message,
      ...more,
    })
    const part = (id: string, type: string): object => ({
      id: 'msg',
      role: 'assistant',
      content: [{ type, id, name: 'f', input: {} }],
    })
    const result = (id: string): object => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
    })
    const text = [
      { type: 'summary', summary: 'A talk', leafUuid: 'z' },
      entry('1', null, HI),
      entry('2', '1', { id: 'first', role: 'assistant', content: [{ type: 'text', text: 'Well' }] }),
      entry('3', '2', { role: 'user', content: 'Old words' }),
      entry('4', '3', { role: 'assistant', content: [{ type: 'text', text: 'Old answer' }] }),
      entry('5', '2', { role: 'user', content: 'New words' }),
      entry('6', '5', part('a', 'tool_use')),
      entry('7', '6', part('b', 'tool_use')),
      entry('8', '6', result('a')),
      entry('9', '7', result('b')),
      entry('s', '9', { role: 'user', content: 'Do this' }, { isSidechain: true }),
      entry('9', '7', result('b')),
    ]
    const store = await openStore('memory:')
    const { contexts } = await importFile(store, { chunks: bytes(text.map(line).join('\n')), name: 'file' })
    expect(contexts).toMatchObject([{ id: 's', format: 'claude-code', messages: 6 }])
    expect(contexts[0]?.unread.map(({ line, what }) => `${line}: ${what}`)).toEqual([
      '1: an entry of the type "summary"',
      '4: a message of a branch that was left',
      '5: a message of a branch that was left',
      '11: a message of a subagent',
      '12: a message that occurs twice in the file',
    ])
    const ctx = await store.open('s')
    expect(ctx.count("@t0 [kind='call']")).toBe(2)
  })
})

describe('a file that is imported again', () => {
  const first = [HI, HO, { role: 'user', content: 'And now?' }]
  const later = [...first, { role: 'assistant', content: 'Now this.' }, HI, HO]

  it('is refused, or adds what is new turn by turn', async () => {
    const store = await openStore('memory:')
    const again = (messages: readonly object[], update: boolean): Promise<ImportedFile> =>
      importFile(store, { chunks: bytes(messages.map(line).join('\n')), name: 'talk', update })
    expect((await again(first, false)).contexts).toMatchObject([{ status: 'imported', cycle: 2 }])
    expect((await again(first, false)).contexts).toMatchObject([{ status: 'refused', error: { code: 'E_CONFLICT' } }])
    expect((await again(first, true)).contexts).toMatchObject([{ status: 'unchanged', added: 0, cycle: 2 }])
    expect((await again(later, true)).contexts).toMatchObject([{ status: 'updated', added: 3, cycle: 4 }])
    expect((await again(later, true)).contexts).toMatchObject([{ status: 'unchanged', cycle: 4 }])
    const ctx = await store.open('talk')
    expect(ctx.thread('@t0').map(({ content }) => content)).toEqual(later.map(({ content }) => content))
  })

  it('adds nothing where either has been changed since', async () => {
    const store = await openStore('memory:')
    const again = (messages: readonly object[]): Promise<ImportedFile> =>
      importFile(store, { chunks: bytes(line({ messages })), name: 'talk', update: true })
    await again(first)
    expect((await again([HI, { ...HO, content: 'Hm' }, ...later.slice(2)])).contexts).toMatchObject([
      {
        status: 'refused',
        error: { code: 'E_CONFLICT', message: expect.stringContaining('message 2 is another one') },
      },
    ])
    expect((await again([HI])).contexts[0]?.status).toBe('refused')
  })

  it('stops between two conversations when it is told to', async () => {
    const store = await openStore('memory:')
    const controller = new AbortController()
    const chunks = bytes(Array.from({ length: 5 }, () => line({ messages: [HI] })).join('\n'))
    const options = { signal: controller.signal, onImported: () => controller.abort() }
    const { contexts, stopped } = await importFile(store, { chunks, name: 'many' }, options)
    expect([contexts.length, stopped, (await store.list()).contexts.length]).toEqual([1, true, 1])
  })
})

async function imported(text: string, input: Partial<ImportFileInput> = {}): Promise<ImportedFile> {
  const store = await openStore('memory:')
  return importFile(store, { chunks: bytes(text), name: 'file', ...input })
}

function bytes(text: string): AsyncIterable<Uint8Array> {
  return stream([Buffer.from(text)])
}

async function* stream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function line(value: unknown): string {
  return JSON.stringify(value)
}

function parse(text: string): unknown {
  return JSON.parse(text)
}
