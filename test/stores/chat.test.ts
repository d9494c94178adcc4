// Chats of the AI SDK in a store: an answer that a restart cuts, an approval that is given after one, and writers that do not know of each other.

import {
  createUIMessageStream,
  safeValidateUIMessages,
  simulateReadableStream,
  stepCountIs,
  streamText,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'

import { loadChat, saveChat, toModelMessages, toUIMessages } from '../../src/adapters/ai-sdk/index.js'
import { PactError } from '../../src/index.js'
import { Store, type Rows } from '../../src/store/index.js'
import type { Place } from '../../testing/index.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { arbitraryUiMessages } from '../support/providers/arbitrary/ui-messages.js'
import { SCRIPT, scriptedParts, scriptedTools, type ScriptedStep } from '../support/providers/scripted-chat.js'
import { runs } from '../support/runs.js'

const places: Place<Rows>[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.end?.()
})

function placeOf(kind: 'memory' | 'sqlite'): Place<Rows> {
  const place = kind === 'memory' ? memoryPlace() : sqlitePlace()
  places.push(place)
  return place
}

async function openAt(place: Place<Rows>): Promise<Store> {
  return new Store(await place.open())
}

const said = (id: string, text: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const idsOf = (messages: readonly { id: string }[]): string[] => messages.map(({ id }) => id)

/** A model that plays a script; a step that is missing never ends. */
function modelOf(script: readonly (ScriptedStep | undefined)[], prompts: unknown[] = []): MockLanguageModelV3 {
  let at = 0
  return new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      prompts.push(prompt)
      const step = script[at++]
      if (step === undefined) return { stream: new ReadableStream() }
      return { stream: simulateReadableStream({ chunks: scriptedParts(step) as never[] }) }
    },
  })
}

type Given = Readonly<{ model: MockLanguageModelV3; ran?: string[]; needsApproval?: boolean }>

/** The answer to the newest message, as a server gives it: each step is saved when it has ended. */
async function answer(
  store: Store,
  chatId: string,
  { model, ran, needsApproval }: Given,
): Promise<ReadableStream<Readonly<{ type: string }>>> {
  const messages = await loadChat<UIMessage>(store, chatId)
  const request = toModelMessages(await store.open(chatId))
  const save = async ({ responseMessage }: { responseMessage: UIMessage }): Promise<void> =>
    saveChat(store, { chatId, messages: [responseMessage] })
  return createUIMessageStream({
    originalMessages: messages,
    generateId: () => 'answer',
    execute: ({ writer }) => {
      const tools = scriptedTools(ran, needsApproval)
      const result = streamText({ model, tools, stopWhen: stepCountIs(5), ...request })
      writer.merge(result.toUIMessageStream({ originalMessages: messages }))
    },
    onStepFinish: save,
    onFinish: save,
  })
}

/** Reads a stream to its end, or up to a chunk; the rest is left unread, as by a process that has died. */
async function follow(stream: ReadableStream<Readonly<{ type: string }>>, until?: string): Promise<void> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value.type === until) return
  }
}

async function checkValid(messages: readonly UIMessage[]): Promise<void> {
  expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true })
}

describe.each(['memory', 'sqlite'] as const)('a chat in a %s store', (kind) => {
  it('is empty if there is none, and is not made by reading', async () => {
    const store = await openAt(placeOf(kind))
    expect(await loadChat(store, 'none')).toEqual([])
    expect(await store.find('none')).toBeUndefined()
    await store.close()
  })

  it('goes on after a restart in the middle of an answer: steps that had ended are there, and their tools run once', async () => {
    const place = placeOf(kind)
    const ran: string[] = []
    const before = await openAt(place)
    await saveChat(before, { chatId: 'c', messages: [said('q', 'Is it sunny?')] })
    const cut = await answer(before, 'c', { model: modelOf([SCRIPT[0]]), ran })
    await follow(cut, 'finish-step')
    if (kind === 'sqlite') await before.close()

    const store = await openAt(place)
    const loaded = await loadChat<UIMessage>(store, 'c')
    await checkValid(loaded)
    expect(loaded[1]).toMatchObject({ id: 'answer', parts: [{}, {}, {}, { state: 'output-available' }] })
    expect((await store.open('c')).due()).toBe('reply')
    const prompts: unknown[] = []
    await follow(await answer(store, 'c', { model: modelOf([SCRIPT[1]], prompts), ran }))
    const messages = await loadChat<UIMessage>(store, 'c')
    await checkValid(messages)
    expect(idsOf(messages)).toEqual(['q', 'answer'])
    const types = ['step-start', 'reasoning', 'text', 'tool-weather', 'step-start', 'text']
    expect(messages[1]!.parts.map(({ type }) => type)).toEqual(types)
    expect(prompts).toMatchObject([[{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }]])
    expect(ran).toEqual(['Rome'])
    expect((await store.open('c')).due()).toBe('user')
    await store.close()
  })

  it.each([true, false])('takes an approval after a restart: approved %s', async (approved) => {
    const place = placeOf(kind)
    const ran: string[] = []
    const before = await openAt(place)
    await saveChat(before, { chatId: 'c', messages: [said('q', 'Is it sunny?')] })
    await follow(await answer(before, 'c', { model: modelOf([SCRIPT[0]]), ran, needsApproval: true }))
    if (kind === 'sqlite') await before.close()

    const store = await openAt(place)
    const waiting = (await loadChat<UIMessage>(store, 'c'))[1]!
    const parts = waiting.parts.map((part) => {
      if (part.type !== 'tool-weather' || !('approval' in part)) return part
      return { ...part, state: 'approval-responded', approval: { id: part.approval.id, approved } } as typeof part
    })
    expect(ran).toEqual([])
    await saveChat(store, { chatId: 'c', messages: [{ ...waiting, parts }] })
    await follow(await answer(store, 'c', { model: modelOf([SCRIPT[1]]), ran, needsApproval: true }))
    const messages = await loadChat<UIMessage>(store, 'c')
    await checkValid(messages)
    expect(ran).toEqual(approved ? ['Rome'] : [])
    expect(messages[1]!.parts.at(-1)).toMatchObject({ type: 'text', text: 'It is sunny.' })
    expect(JSON.stringify(toModelMessages(await store.open('c')))).not.toContain('no longer in context')
    await store.close()
  })

  it('loses no message of writers that save at the same time', async () => {
    const store = await openAt(placeOf(kind))
    const writers = Array.from({ length: 6 }, (_, i) => [said(`u${i}`, `I am ${i}.`), said(`v${i}`, `Still ${i}.`)])
    const save = async (messages: readonly UIMessage[]): Promise<void> => {
      for (const message of messages) await saveChat(store, { chatId: 'c', messages: [message] })
    }
    await Promise.all(writers.map(save))
    const ids = idsOf(await loadChat(store, 'c'))
    expect(ids.toSorted()).toEqual(idsOf(writers.flat()).toSorted())
    for (const [first, second] of writers) expect(ids.indexOf(first!.id)).toBeLessThan(ids.indexOf(second!.id))
    await store.close()
  })

  it('keeps what another tab has added or changed while this one was answered', async () => {
    const store = await openAt(placeOf(kind))
    await saveChat(store, { chatId: 'c', messages: [said('q', 'One?')] })
    const loaded = await loadChat<UIMessage>(store, 'c')
    await saveChat(store, { chatId: 'c', messages: [said('q', 'One, please?'), said('other', 'And two?')] })
    await saveChat(store, { chatId: 'c', messages: [...loaded, said('mine', 'Three?')], loaded })
    const messages = await loadChat<UIMessage>(store, 'c')
    expect(messages).toEqual([said('q', 'One, please?'), said('other', 'And two?'), said('mine', 'Three?')])
    await store.close()
  })

  it('deletes messages that were loaded and are missing, as a new answer needs it', async () => {
    const store = await openAt(placeOf(kind))
    const answered: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'No.' }] }
    await saveChat(store, { chatId: 'c', messages: [said('q', 'One?'), answered] })
    const loaded = await loadChat<UIMessage>(store, 'c')
    const again: UIMessage = { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] }
    await saveChat(store, { chatId: 'c', messages: [loaded[0]!, again], loaded })
    expect(idsOf(await loadChat(store, 'c'))).toEqual(['q', 'b'])
    expect(JSON.stringify(toModelMessages(await store.open('c')))).not.toContain('No.')
    await store.close()
  })

  it('refuses a change of a message that another writer has changed or deleted', async () => {
    const store = await openAt(placeOf(kind))
    await saveChat(store, { chatId: 'c', messages: [said('q', 'One?'), said('r', 'Two?')] })
    const loaded = await loadChat<UIMessage>(store, 'c')
    await saveChat(store, { chatId: 'c', messages: [said('q', 'One!')], loaded })
    for (const messages of [[said('q', 'One…'), loaded[1]!], [loaded[1]!], [loaded[0]!, said('r', 'Two!')]]) {
      const error: unknown = await saveChat(store, { chatId: 'c', messages, loaded }).catch((thrown: unknown) => thrown)
      expect(PactError.is(error) && [error.code, error.details]).toEqual([
        'E_CONFLICT',
        { message: expect.any(String) },
      ])
    }
    expect(await loadChat(store, 'c')).toEqual([said('q', 'One!')])
    await store.close()
  })
})

describe('a saved chat', () => {
  it('makes no commit if nothing is new', async () => {
    const store = await openAt(placeOf('memory'))
    const messages = [said('q', 'One?')]
    await saveChat(store, { chatId: 'c', messages })
    const { cycle } = await store.open('c')
    await saveChat(store, { chatId: 'c', messages })
    expect((await store.open('c')).cycle).toBe(cycle)
    await store.close()
  })

  it('is the list that was saved last, whatever was saved before', async () => {
    const chats = fc.array(arbitraryUiMessages({ version: 6, isComplete: false }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(chats, async (lists) => {
        const store = await openAt(memoryPlace())
        for (const messages of lists) {
          const loaded = await loadChat(store, 'c')
          await saveChat(store, { chatId: 'c', messages, loaded })
          const stored = await loadChat(store, 'c')
          // A message keeps its place; one that is new is the last.
          expect(new Map(stored.map((message) => [message.id, message]))).toEqual(
            new Map(messages.map((message) => [message.id, message])),
          )
        }
        await store.close()
      }),
      { numRuns: runs(30) },
    )
  })

  it('replaces messages of a run on the context where they are', async () => {
    const store = await openAt(placeOf('memory'))
    const ctx = await store.open('c')
    ctx.user('Is it sunny?')
    ctx.assistant('Yes.')
    await ctx.commit()
    ctx.user('Really?')
    await ctx.commit()
    const loaded = await loadChat<UIMessage>(store, 'c')
    const better: UIMessage = {
      ...loaded[1]!,
      parts: [
        { type: 'text', text: 'No.' },
        { type: 'data-x', data: 1 },
      ],
    }
    await saveChat(store, { chatId: 'c', messages: [better] })
    expect(await loadChat(store, 'c')).toEqual([loaded[0], better, loaded[2]])
    expect(toUIMessages(await store.open('c'))).toHaveLength(3)
    await store.close()
  })

  it.each([
    ['no id', { messages: [] }, 'id'],
    ['no messages', { chatId: 'c' }, 'messages'],
    ['an unknown key', { chatId: 'c', messages: [], message: [] }, 'message'],
  ])('is refused with %s', async (_name, chat, word) => {
    const store = await openAt(placeOf('memory'))
    await expect(saveChat(store, chat as never)).rejects.toThrow(word)
    await store.close()
  })
})
