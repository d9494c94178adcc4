// Blocks of Claude: what it gave goes back, one bad block costs no other, and every other provider gets the words in them.

import { describe, expect, it } from 'vitest'

import { fromAnthropic, receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock, fromBedrock } from '../../src/adapters/bedrock/index.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { checkAnthropic } from '../support/providers/anthropic.js'

type Block = Readonly<Record<string, unknown>>
type Said = Readonly<{ role: string; content: string | readonly Block[] }>

const call = (id: string, more: Block = {}): Block => ({ type: 'tool_use', id, name: 'f', input: {}, ...more })
const result = (id: string, content: unknown = 'r'): Block => ({ type: 'tool_result', tool_use_id: id, content })
const of = (role: string, ...content: Block[]): Said => ({ role, content })
const QUESTION: Said = { role: 'user', content: 'go' }

function imported(...messages: Said[]): Context {
  return fromAnthropic({ messages: [QUESTION, ...messages] })
}

/** The request, which is valid, with the types of its blocks and the codes of its repairs. */
function sent(ctx: Context, options = {}): Readonly<{ body: Block; blocks: readonly unknown[]; codes: string[] }> {
  const request = toAnthropic(ctx, options)
  expect(checkAnthropic({ ...request })).toEqual([])
  const messages = request.messages as readonly Said[]
  const blocks = messages.map(({ role, content }) =>
    typeof content === 'string' ? role : [role, ...content.map(({ type }) => type)],
  )
  return { body: { ...request }, blocks, codes: request.repairs.map(({ code }) => code) }
}

describe('the output of a tool', () => {
  const kept = { type: 'text', text: 'two thousand lines' }

  it.each<[string, unknown]>([
    ['an empty text', { type: 'text', text: '' }],
    ['a block that nobody knows', { type: 'a_block_of_next_month', x: 1 }],
    [
      'a picture that Claude cannot read',
      { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: 'PHN2Zz4=' } },
    ],
    ['a value that is no block', { rows: [1] }],
  ])('loses %s and nothing else', (_name, extra) => {
    const given = { ...result('t1', [kept, extra]), is_error: true }
    const ctx = imported(of('assistant', call('t1')), of('user', given))
    const { body, codes } = sent(ctx, { unknown: 'drop' })
    const [block] = (body['messages'] as readonly Said[])[2]!.content as readonly Block[]
    expect(block).toMatchObject({ type: 'tool_result', tool_use_id: 't1', is_error: true })
    expect(block!['content']).toContainEqual(kept)
    expect(codes).toEqual(['left-out'].slice(0, extra !== null && 'rows' in (extra as object) ? 0 : 1))
  })

  it('that is a value becomes a text', () => {
    const { body, codes } = sent(imported(of('assistant', call('t1')), of('user', result('t1', { rows: [1] }))))
    expect(JSON.stringify(body)).toContain('{\\"rows\\":[1]}')
    expect(codes).toEqual(['converted'])
  })

  it('without anything to say is sent without content', () => {
    const { body, codes } = sent(
      imported(of('assistant', call('t1')), of('user', result('t1', [{ type: 'text', text: ' ' }]))),
    )
    expect((body['messages'] as readonly Said[])[2]!.content).toEqual([{ type: 'tool_result', tool_use_id: 't1' }])
    expect(codes).toEqual(['left-out'])
  })

  it('loses an empty text in Bedrock, too', () => {
    const toolResult = { toolUseId: 't1', content: [{ text: 'two thousand lines' }, { text: ' ' }] }
    const ctx = fromBedrock({
      messages: [
        { role: 'user', content: [{ text: 'go' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'f', input: {} } }] },
        { role: 'user', content: [{ toolResult }] },
      ],
    })
    const { messages, repairs } = toBedrock(ctx)
    expect(messages[2]!.content).toEqual([{ toolResult: { ...toolResult, content: [{ text: 'two thousand lines' }] } }])
    expect(repairs.map(({ code }) => code)).toEqual(['left-out'])
  })
})

describe('messages of the assistant side by side are one turn', () => {
  const split = [
    of('assistant', { type: 'thinking', thinking: 'Two calls.', signature: 'c2ln' }),
    of('assistant', call('t1')),
    of('assistant', call('t2')),
    of('user', result('t1')),
    of('user', result('t2')),
  ]

  it('with a thought and parallel calls', () => {
    const ctx = imported(...split)
    const { body, codes } = sent(ctx)
    expect(body['messages']).toEqual([QUESTION, ...split])
    expect(codes).toEqual([])
    expect(sent(importSnapshot(ctx.export())).body).toEqual(body)
  })

  it('and a result that is gone has its place behind the last of them', () => {
    const ctx = imported(...split)
    ctx.delete("[data_call_id='t1'][kind='result']")
    ctx.commit()
    const { blocks, codes } = sent(ctx)
    expect(blocks.slice(1, 4)).toEqual([
      ['assistant', 'thinking'],
      ['assistant', 'tool_use'],
      ['assistant', 'tool_use'],
    ])
    expect(codes).toContain('stub-result')
  })

  it('but not if a result was between them', () => {
    const ctx = imported(
      of('assistant', call('t1')),
      of('user', result('t1')),
      of('assistant', call('t2')),
      of('user', result('t2')),
    )
    ctx.delete("[data_call_id='t1'][kind='result']")
    ctx.commit()
    expect(sent(ctx).blocks).toEqual([
      'user',
      ['assistant', 'tool_use'],
      ['user', 'tool_result'],
      ['assistant', 'tool_use'],
      ['user', 'tool_result'],
    ])
  })
})

describe('code of the server that calls tools', () => {
  const code = { type: 'server_tool_use', id: 's1', name: 'code_execution', input: { code: 'await f()' } }
  const caller = { type: 'code_execution_20260120', tool_id: 's1' }
  const asked = {
    role: 'assistant',
    content: [code, call('t1', { caller })],
    stop_reason: 'tool_use',
    container: { id: 'container_1', expires_at: '2026-11-18T21:00:00Z' },
  }
  const ended = {
    role: 'assistant',
    content: [
      {
        type: 'code_execution_tool_result',
        tool_use_id: 's1',
        content: { type: 'code_execution_result', stdout: '3', stderr: '', return_code: 0, content: [] },
      },
      { type: 'text', text: 'Three.' },
    ],
    stop_reason: 'end_turn',
  }

  function waiting(): Context {
    const ctx = createContext()
    ctx.user('Sum the sales.')
    receiveAnthropic(ctx, asked as never)
    ctx.tool('[1,2]', { kind: 'result', data_call_id: 't1' })
    return ctx
  }

  it('gets the results alone, and its container; plans and documents follow when it has ended', () => {
    const ctx = waiting()
    ctx.set('plan', 'Plan: query, then sum.')
    ctx.post('A document.')
    const { body, blocks, codes } = sent(ctx)
    expect(blocks).toEqual(['user', ['assistant', 'server_tool_use', 'tool_use'], ['user', 'tool_result']])
    expect(codes).toEqual(['left-out', 'left-out'])
    expect(body['container']).toBe('container_1')
    receiveAnthropic(ctx, ended)
    const after = sent(ctx)
    expect(after.blocks.slice(3)).toEqual([['assistant', 'code_execution_tool_result', 'text'], 'user', 'user'])
    expect(after.codes).toEqual([])
    expect(after.body).not.toHaveProperty('container')
    expect(JSON.stringify(after.body['messages']).startsWith(JSON.stringify(body['messages']).slice(0, -1))).toBe(true)
  })

  it('is the same over a commit, before, between and behind the results, with a plan and a document (i12)', () => {
    const step = (at: number): Context => {
      const ctx = createContext()
      ctx.user('Sum the sales.')
      const cut = (now: number): unknown => (now === at ? ctx.commit() : undefined)
      receiveAnthropic(ctx, { ...asked, content: [...asked.content, call('t2', { caller })] } as never)
      cut(0)
      ctx.set('plan', 'Plan: query, then sum.')
      for (const [now, id] of ['t1', 't2'].entries()) {
        ctx.tool('[1,2]', { kind: 'result', data_call_id: id })
        ctx.post(`A document for ${id}.`)
        cut(now + 1)
      }
      return ctx
    }
    const others = [0, 1, 2, 3].map((at) => {
      const ctx = step(at)
      const { body } = sent(ctx)
      expect((body['messages'] as object[]).slice(2)).toEqual([
        { role: 'user', content: ['t1', 't2'].map((id) => result(id, '[1,2]')) },
      ])
      expect(body['container']).toBe('container_1')
      receiveAnthropic(ctx, ended)
      ctx.commit()
      ctx.user('And in May?')
      const { blocks, codes } = sent(ctx)
      expect(blocks.slice(3)).toEqual([['assistant', 'code_execution_tool_result', 'text'], ...Array(4).fill('user')])
      expect(codes).toEqual([])
      return body
    })
    for (const other of others) expect(other).toEqual(others[3])
  })

  it('has its container after a commit, an export and an import', () => {
    const ctx = waiting()
    const { body } = sent(ctx)
    ctx.commit()
    expect(sent(ctx).body).toEqual(body)
    expect(sent(importSnapshot(ctx.export())).body).toEqual(body)
  })

  it('has the container of the params, if they have one', () => {
    const params = { model: 'claude-opus-5', max_tokens: 100, container: 'mine' }
    expect(waiting().startAttempt({ for: toAnthropic, params }).body).toMatchObject({ container: 'mine' })
  })

  it.each<[string, (ctx: Context) => void]>([
    ['the user says something else', (ctx) => ctx.user('Stop, subtract them.')],
    ['its call is deleted', (ctx) => ctx.delete(".block[kind='server_tool_use']")],
  ])('is left out if %s; its calls are those of the model then', (_name, edit) => {
    const ctx = waiting()
    edit(ctx)
    const { body, blocks } = sent(ctx)
    expect(blocks.slice(1, 3)).toEqual([
      ['assistant', 'tool_use'],
      ['user', 'tool_result'],
    ])
    expect(JSON.stringify(body)).not.toMatch(/caller|s1|container/)
    expect(toAnthropic(ctx).repairs.map(({ code }) => code)).toContain('dropped-key')
  })
})

describe('blocks that came with a reply', () => {
  const listing = {
    type: 'mcp_tool_listing',
    mcp_server_name: 'files',
    tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }],
  }
  const fallback = { type: 'fallback', from: { model: 'claude-fable-5-1' }, to: { model: 'claude-opus-5' } }

  it('go back: the list of tools of an MCP server, and the change to another model', () => {
    const ctx = createContext()
    ctx.user('go')
    receiveAnthropic(ctx, {
      role: 'assistant',
      content: [listing, { type: 'text', text: 'Hi.' }, fallback],
      stop_reason: 'end_turn',
    })
    expect(sent(ctx).blocks[1]).toEqual(['assistant', 'mcp_tool_listing', 'text', 'fallback'])
    expect(sent(ctx).codes).toEqual([])
  })

  it.each<[string, Block]>([
    ['fallback', fallback],
    ['mcp_tool_listing', listing],
    ['thinking', { type: 'thinking', thinking: 'a', signature: 'c2ln' }],
  ])('no cache mark is on %s', (_name, block) => {
    const blocks = [block, { type: 'text', text: 'Hi.' }, ...(block === fallback ? [block] : [])]
    const { body } = sent(imported(of('assistant', ...blocks)), { cache: true })
    const content = (body['messages'] as readonly Said[])[1]!.content as readonly Block[]
    expect(content.filter(({ cache_control: mark }) => mark !== undefined).map(({ type }) => type)).toEqual(['text'])
  })
})

const NEEDLE = 'needle in a haystack'
const server = (type: string, content: unknown): Block[] => [
  {
    type: type.startsWith('mcp') ? 'mcp_tool_use' : 'server_tool_use',
    id: 's1',
    name: 'x',
    input: {},
    server_name: 'x',
  },
  { type, tool_use_id: 's1', content },
  { type: 'text', text: 'Done.' },
]
const text = { type: 'text', text: NEEDLE }
const WORDS: Readonly<Record<string, readonly Said[]>> = {
  'a search result': [of('user', { type: 'search_result', source: 'https://a.example', title: 'A', content: [text] })],
  'a search result that a tool gave': [
    of('assistant', call('t1')),
    of('user', result('t1', [{ type: 'search_result', source: 'https://a.example', title: 'A', content: [text] }])),
  ],
  'a document with a list': [of('user', { type: 'document', source: { type: 'content', content: [text] } })],
  'the title of a document': [
    of('user', { type: 'document', title: NEEDLE, source: { type: 'text', media_type: 'text/plain', data: 'A.' } }),
  ],
  'the context of a document': [
    of('user', { type: 'document', context: NEEDLE, source: { type: 'text', media_type: 'text/plain', data: 'A.' } }),
  ],
  'the context of a PDF': [
    of('user', {
      type: 'document',
      context: NEEDLE,
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    }),
  ],
  'the result of an MCP server': [of('assistant', ...server('mcp_tool_result', [text]))],
  'the output of a command': [
    of(
      'assistant',
      ...server('bash_code_execution_tool_result', {
        type: 'bash_code_execution_result',
        stdout: NEEDLE,
        stderr: '',
        return_code: 0,
        content: [],
      }),
    ),
  ],
  'a page that was fetched': [
    of(
      'assistant',
      ...server('web_fetch_tool_result', {
        type: 'web_fetch_result',
        url: 'https://a.example',
        content: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: NEEDLE } },
      }),
    ),
  ],
  'the titles of a search': [
    of(
      'assistant',
      ...server('web_search_tool_result', [
        { type: 'web_search_result', title: NEEDLE, url: 'https://a.example', encrypted_content: 'e' },
      ]),
    ),
  ],
  'a result of next month': [of('assistant', ...server('moon_tool_result', { type: 'moon_result', text: NEEDLE }))],
}
const OTHERS = Object.entries(ADAPTERS).filter(([name]) => name !== 'anthropic')

describe.each(Object.entries(WORDS))('%s', (_name, messages) => {
  it.each(OTHERS)('is a text for %s', (_to, { to }) => {
    const request = to(imported(...messages))
    expect(JSON.stringify(request)).toContain(NEEDLE)
    expect(request.repairs.map(({ code }) => code)).toContain('converted')
    expect(JSON.stringify(request)).not.toMatch(/JVBERi0=.*JVBERi0=/)
  })

  it('goes back to Claude as it came', () => {
    const ctx = imported(...messages)
    expect(toAnthropic(ctx, { repair: false }).messages).toEqual([QUESTION, ...messages])
  })
})

describe('a summary that Claude made', () => {
  const summary = of('assistant', { type: 'compaction', content: NEEDLE })

  it.each(OTHERS)('is a text for %s if nothing else is there', (_name, { to }) => {
    const request = to(fromAnthropic({ messages: [summary, QUESTION] }))
    expect(JSON.stringify(request)).toContain(NEEDLE)
    expect(request.repairs.map(({ code }) => code)).toContain('converted')
  })

  it.each(OTHERS)('is not sent to %s next to the nodes that it stands for', (_name, { to }) => {
    const request = to(imported(summary, QUESTION))
    expect(JSON.stringify(request)).not.toContain(NEEDLE)
    expect(request.repairs.map(({ code }) => code)).toContain('left-out')
  })
})
