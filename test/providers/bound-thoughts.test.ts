// A thought and the digests of its beginning: where they go, what they are not, and what is said of a thought that is left out.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { createContext, importSnapshot, type Context } from '../../src/index.js'
import type { AnyContext } from '../../src/context/index.js'
import { openStore } from '../../src/store/index.js'
import { fromAnthropic, receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { previewOperations, memoryPool } from '../../src/commands/index.js'
import { describe, expect, it } from 'vitest'

import { pctx } from '../support/pctx.js'

const TOOLS = [{ name: 'look_up', input_schema: { type: 'object' } }]
const params = { model: 'claude', max_tokens: 100, tools: TOOLS }

const saying = (text: string) => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: `About ${text}`, signature: `signed ${text}` },
    { type: 'text', text },
  ],
  stop_reason: 'end_turn',
})

function turn(ctx: Context, text: string): void {
  ctx.user(`Question ${text}`)
  ctx.startAttempt({ for: toAnthropic, params }).receive(saying(text))
  ctx.commit()
}

function three(): Context {
  const ctx = createContext()
  ctx.system.add('You are a clerk.')
  for (const text of ['one', 'two', 'three']) turn(ctx, text)
  return ctx
}

const textOf = (ctx: Context): string => new TextDecoder().decode(ctx.export())
/** A file of an earlier release. */
const withoutDigests = (ctx: Context): string => textOf(ctx).replaceAll(/,"pact:bound":\{[^}]*\}/g, '')
const boundOf = (ctx: AnyContext): unknown[] =>
  ctx.nodes("[kind='reasoning']").map(({ attributes }) => attributes['pact:bound'])
const signed = (request: object): string[] => JSON.stringify(request).match(/signed \w+/g) ?? []
const stale = (ctx: Parameters<typeof toAnthropic>[0]): readonly object[] =>
  toAnthropic(ctx).repairs.filter(({ code }) => code === 'stale-thought')

describe('the digests of a thought', () => {
  it('are on its node, and survive commits, files, forks, stores and new versions', async () => {
    const ctx = three()
    const bound = boundOf(ctx)
    expect(bound).toHaveLength(3)
    for (const each of bound) {
      expect(each).toEqual({
        before: expect.stringMatching(/^[0-9a-f]{16}$/),
        tools: expect.stringMatching(/^[0-9a-f]{16}$/),
      })
    }
    const again = importSnapshot(ctx.export())
    expect(again.export()).toEqual(ctx.export())
    expect(boundOf(again)).toEqual(bound)
    expect(boundOf(ctx.fork())).toEqual(bound)
    ctx.update("[kind='reasoning']", { tags: ['seen'] })
    ctx.commit()
    expect(boundOf(ctx)).toEqual(bound)
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-bound-'))
    for (const reads of [false, true]) {
      const store = await openStore(`sqlite:${path.join(folder, 'a.db')}`)
      if (!reads) await store.put(ctx, 'bound')
      const opened = await store.open('bound')
      expect(boundOf(opened)).toEqual(bound)
      expect(signed(toAnthropic(opened))).toHaveLength(3)
      await store.close()
    }
    const edit = ['delete', 'bound', "d2 .block[role='user']", '--dry-run', '--store']
    const tried = await pctx([...edit, `sqlite:${path.join(folder, 'a.db')}`])
    expect(tried.stdout).toContain('Requests would lose 2 signed thoughts')
    fs.rmSync(folder, { recursive: true })
  })

  it('are in no thread, request, token count, content hash or selector answer', () => {
    const ctx = three()
    expect(new TextDecoder().decode(ctx.threadBytes('@t0'))).not.toContain('pact:bound')
    expect(JSON.stringify(toAnthropic(ctx))).not.toContain('pact:bound')
    expect(ctx.select('[pact:bound]')).toEqual([])
    expect(ctx.select("[pact:bound.before!='x'][kind='reasoning']")).toHaveLength(3)
    const without = importSnapshot(withoutDigests(ctx))
    expect(without.tokens('@t0').total).toBe(ctx.tokens('@t0').total)
    const hashes = (each: Context): unknown[] => each.nodes('.block').map(({ contentHash }) => contentHash)
    expect(hashes(without)).toEqual(hashes(ctx))
  })

  it('are refused in another form, from a file and from a caller', () => {
    const text = textOf(three())
    expect(() => importSnapshot(text.replace(/"before":"[0-9a-f]{16}"/, '"before":"x"'))).toThrow(
      expect.objectContaining({ code: 'E_SNAPSHOT_INVALID' }),
    )
    expect(() => createContext().user('x', { 'pact:bound': { before: 'x' } })).toThrow(
      expect.objectContaining({ code: 'E_RESERVED_NAME' }),
    )
  })

  it('are those of a conversation as it is printed', () => {
    const { system, messages } = JSON.parse(JSON.stringify(toAnthropic(three()))) as {
      system: string
      messages: object[]
    }
    const logged = messages.map((message, i) => ({ ...message, id: `msg_${i}` }))
    const ctx = fromAnthropic({ system, messages: logged })
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
    expect(boundOf(ctx)).toEqual(boundOf(three()).map((each) => ({ before: (each as { before: string }).before })))
    ctx.replace("d2 .block[role='user']", { content: 'Something else' })
    expect(signed(toAnthropic(ctx))).toEqual(['signed one'])
  })

  it('are those of the imported tree for a file without them', () => {
    const ctx = importSnapshot(withoutDigests(three()))
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
    ctx.delete("d3 .block[role='user']")
    ctx.commit()
    expect(signed(toAnthropic(ctx))).toEqual([])
  })
})

describe('a stale thought', () => {
  it('is left out with all later ones, and the node that changed is named', () => {
    const ctx = three()
    const [, second] = ctx.nodes(".block[role='user']")
    ctx.replace(`[id='${second!.id}']`, { content: 'Another question' })
    ctx.commit()
    expect(signed(toAnthropic(ctx))).toEqual(['signed one'])
    expect(stale(ctx)).toHaveLength(2)
    for (const each of stale(ctx)) expect(each).toMatchObject({ changed: second!.id, cause: 'superseded' })
  })

  it('names what was pruned, redacted, added before it, or changed in ^sys', () => {
    const pruned = three()
    const [first] = pruned.nodes(".block[role='user']")
    pruned.delete('d3')
    pruned.commit()
    expect(stale(pruned)).toHaveLength(2)
    expect(stale(pruned)[0]).toMatchObject({ changed: expect.stringContaining('1-') })
    expect(first).toBeDefined()
    const system = three()
    system.system.add('Be brief.')
    const [added] = system.nodes('^sys .block').slice(-1)
    expect(stale(system)).toHaveLength(3)
    expect(stale(system)[0]).toMatchObject({ changed: added!.id, cause: 'added' })
  })

  it('comes back when the edit is undone', () => {
    const ctx = three()
    ctx.delete("d1 .block[role='user']")
    expect(stale(ctx)).toHaveLength(1)
    ctx.undo()
    expect(stale(ctx)).toEqual([])
  })

  it('is one whose tools have changed, where both are known', () => {
    const ctx = three()
    const other = ctx.startAttempt({ for: toAnthropic, params: { ...params, tools: [] } })
    expect(signed(other.body)).toEqual([])
    const marked = TOOLS.map((tool) => ({ ...tool, cache_control: { type: 'ephemeral' } }))
    expect(signed(ctx.startAttempt({ for: toAnthropic, params: { ...params, tools: marked } }).body)).toHaveLength(3)
    const none = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } })
    expect(signed(none.body)).toEqual([])
    expect(
      signed(ctx.startAttempt({ provider: 'anthropic', for: toAnthropic, params: {}, model: 'claude' }).body),
    ).toHaveLength(3)
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
    expect(new TextDecoder().decode(ctx.requestOf(none.id))).toBe(JSON.stringify(none.body))
  })

  it('is made by words that came while the reply was under way', () => {
    const ctx = three()
    ctx.user('Question')
    const attempt = ctx.startAttempt({ for: toAnthropic, params })
    ctx.post('A document, too late.')
    attempt.receive(saying('four'))
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
  })

  it('is known without an attempt by the request, or by the context as it is then', () => {
    const ctx = three()
    ctx.user('Question')
    const request = JSON.parse(
      JSON.stringify({ ...params, ...toAnthropic(ctx, { blocks: { role: 'system' } }) }),
    ) as never
    ctx.post('A document, too late.')
    receiveAnthropic(ctx, saying('four'), { request })
    expect(signed(toAnthropic(ctx))).toHaveLength(3)
    const other = three()
    other.user('Question')
    other.receive(saying('four'), { from: fromAnthropic })
    expect(signed(toAnthropic(other))).toHaveLength(4)
  })

  it('is counted in the preview of an edit', async () => {
    const ctx = three()
    const operations = [{ op: 'delete', selector: "d2 .block[role='user']" }] as const
    const previewed = await previewOperations(memoryPool(ctx), { id: ctx.id, operations })
    expect(previewed.stale_thoughts).toBe(2)
  })
})

describe('the option thinking', () => {
  it('sends bound thoughts by default, all, or none', () => {
    const ctx = three()
    ctx.delete("d2 .block[role='user']")
    expect(signed(toAnthropic(ctx))).toHaveLength(1)
    expect(signed(toAnthropic(ctx, { thinking: 'bound' }))).toHaveLength(1)
    expect(signed(toAnthropic(ctx, { thinking: 'all' }))).toHaveLength(3)
    expect(signed(toAnthropic(ctx, { thinking: 'off' }))).toHaveLength(0)
    expect(signed(toAnthropic(ctx, { repair: false }))).toHaveLength(3)
  })

  it.each([toAnthropic, toModelMessages, toBedrock])('is checked: %s', (to) => {
    const ctx = createContext()
    ctx.user('Hi')
    for (const thinking of ['on', true, null]) {
      expect(() => to(ctx, { thinking } as never)).toThrow(
        expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'thinking' } }),
      )
    }
  })
})
