// examples/pi.ts in sessions of pi, with a scripted model: no terminal and no network.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import {
  type AssistantMessage,
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxToolCall,
  type Message,
} from '@earendil-works/pi-ai'
import {
  type AgentSession,
  createAgentSession,
  DefaultResourceLoader,
  defineTool,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from '@earendil-works/pi-coding-agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { pactExtension } from '../../examples/pi.js'
import { type OpenOptions, openStore } from '../../src/store/index.js'
import { o200k } from '../../src/tokens/index.js'

type Prompt = readonly Message[]

const LIMIT = 700
const CITIES = 'Rome Oslo Lima Bern Cairo Quito Delhi Seoul'.split(' ')
const CALLS = ['today', 'tomorrow']
const questionOf = (city: string): string => `Is it a good week for a trip to ${city}?`
const answerOf = (city: string): string => `Now is a good time for ${city}.`

const callsIn = (prompt: Prompt): string[] =>
  prompt.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])) : [],
  )
const resultsIn = (prompt: Prompt): string[] =>
  prompt.flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : []))

/** The texts, calls and results of a prompt, but the system. */
function tokensOf(prompt: Prompt): number {
  const said = (message: Message): string[] => {
    if (typeof message.content === 'string') return [message.content]
    return message.content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part)))
  }
  return prompt.flatMap(said).reduce((sum, text) => sum + o200k(text), 0)
}

/** Two calls at once, one more, and the answer. */
function replyTo(prompt: Prompt): AssistantMessage {
  const city = [...JSON.stringify(prompt).matchAll(/trip to (\w+)\?/g)].at(-1)?.[1] ?? 'nowhere'
  const call = (day: string) => fauxToolCall('weather', { city, day }, { id: `${city}-${day}` })
  const looked = resultsIn(prompt).filter((id) => id.startsWith(city)).length
  if (looked === 0) {
    return fauxAssistantMessage([fauxText(`Both days of ${city}.`), ...CALLS.map(call)], { stopReason: 'toolUse' })
  }
  return looked === CALLS.length
    ? fauxAssistantMessage([call('sunday')], { stopReason: 'toolUse' })
    : fauxAssistantMessage(answerOf(city))
}

const weather = defineTool({
  name: 'weather',
  label: 'Weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' }, day: { type: 'string' } } } as never,
  execute: async (_id, input) => ({
    content: [{ type: 'text', text: `${JSON.stringify(input)}: ${'sunny '.repeat(50)}` }],
    details: { input },
  }),
})

describe('examples/pi.ts', () => {
  let folder = ''
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-'))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))
  const address = (home: string) => `sqlite:${path.join(home, 'pi.db')}`

  /** A process of pi: its own loader, runtime and session, which goes on with the newest session file. */
  async function withPi(
    prompts: Prompt[],
    use: (session: AgentSession) => Promise<void>,
    { home = folder, prune = {} as NonNullable<OpenOptions['prune']>, onCall = (_prompt: Prompt): void => {} } = {},
  ): Promise<void> {
    const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false }, retry: { enabled: false } })
    const extension = pactExtension(address(home), {
      countTokens: o200k,
      prune: { maxTokens: LIMIT, unit: 'turn', ...prune },
    })
    const resourceLoader = new DefaultResourceLoader({
      cwd: home,
      agentDir: home,
      settingsManager,
      extensionFactories: [extension],
      noExtensions: true,
      noSkills: true,
      noPromptTemplates: true,
      noThemes: true,
      noContextFiles: true,
    })
    await resourceLoader.reload()
    const faux = fauxProvider()
    const modelRuntime = await ModelRuntime.create({
      authPath: path.join(home, 'auth.json'),
      modelsPath: null,
      refreshOnCreate: false,
    })
    modelRuntime.registerNativeProvider(faux.provider)
    await modelRuntime.setRuntimeApiKey(faux.provider.id, 'none')
    const { session } = await createAgentSession({
      cwd: home,
      agentDir: home,
      settingsManager,
      resourceLoader,
      modelRuntime,
      model: faux.getModel(),
      noTools: 'builtin',
      customTools: [weather],
      sessionManager: SessionManager.continueRecent(folder, path.join(home, 'sessions')),
    })
    const errors: string[] = []
    await session.bindExtensions({ onError: ({ error }) => errors.push(error) })
    const reply = ({ messages }: Readonly<{ messages: Prompt }>): AssistantMessage => {
      const prompt = messages.filter(({ role }) => role !== 'system')
      prompts.push(structuredClone(prompt))
      onCall(prompt)
      return replyTo(prompt)
    }
    faux.setResponses(Array.from({ length: 50 }, () => reply))
    await use(session)
    await session.extensionRunner.emit({ type: 'session_shutdown', reason: 'quit' })
    session.dispose()
    expect(errors).toEqual([])
  }

  /** Every message that any cycle of the session has, once, and those of the open turn. */
  async function everSaid(): Promise<readonly string[]> {
    const store = await openStore(address(folder))
    const { contexts } = await store.list()
    expect(contexts.map(({ id }) => id.split('/')[0])).toEqual(['pi'])
    const ctx = await store.open(contexts[0]!.id)
    const lenses = [...ctx.snapshots().map((_, at) => `@c${at + 1}` as const), 'working' as const]
    const said = lenses.flatMap((lens) => ctx.thread(lens))
    await store.close()
    return [...new Map(said.map((node) => [node.id, `${node.role}: ${JSON.stringify(node.content)}`])).values()]
  }

  it('sends valid prompts within the budget, and the store has all of the conversation, over restarts', async () => {
    const prompts: Prompt[] = []
    for (const city of CITIES) await withPi(prompts, (session) => session.prompt(questionOf(city)))
    expect(prompts).toHaveLength(CITIES.length * 3)
    for (const [at, prompt] of prompts.entries()) {
      const city = CITIES[Math.floor(at / 3)]!
      expect(prompt[0]?.role).toBe('user')
      expect(resultsIn(prompt)).toEqual(callsIn(prompt))
      expect(tokensOf(prompt)).toBeLessThanOrEqual(LIMIT)
      // The turn that runs is there with all its results.
      expect(JSON.stringify(prompt)).toContain(questionOf(city))
      expect(resultsIn(prompt).filter((id) => id.startsWith(city))).toHaveLength([0, 2, 3][at % 3]!)
    }
    // Earlier turns are there as long as there is room, as pi made them.
    expect(Math.max(...prompts.map(tokensOf))).toBeGreaterThan(LIMIT / 2)
    expect(prompts[3]!.slice(0, 4)).toEqual(prompts[2]!.slice(0, 4))
    expect(JSON.stringify(prompts[3])).toContain(answerOf(CITIES[0]!))
    expect(JSON.stringify(prompts.at(-1))).not.toContain(CITIES[0])
    const said = await everSaid()
    for (const city of CITIES) {
      const roles = said.filter((each) => each.includes(city)).map((each) => each.split(':')[0])
      expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant'])
    }
  })

  it('lets a branch that the user left go out of the prompts, and keeps it in the store', async () => {
    const prompts: Prompt[] = []
    await withPi(prompts, async (session) => {
      await session.prompt(questionOf('Rome'))
      await session.prompt(questionOf('Oslo'))
      const second = session.getUserMessagesForForking().at(-1)!
      await session.navigateTree(second.entryId)
      await session.prompt(questionOf('Lima'))
    })
    expect(JSON.stringify(prompts.at(-1))).toContain(answerOf('Rome'))
    expect(JSON.stringify(prompts.at(-1))).not.toContain('Oslo')
    expect(resultsIn(prompts.at(-1)!)).toEqual(callsIn(prompts.at(-1)!))
    expect((await everSaid()).filter((each) => each.includes('Oslo'))).toHaveLength(7)
  })

  it('goes on after a kill in the middle of a turn, with the calls and results that were saved', async () => {
    const home = path.join(folder, 'killed')
    // The folder as it is while the second request of the turn is under way.
    const onCall = (prompt: Prompt): void => {
      const names = fs.readdirSync(folder).filter((name) => name !== 'killed')
      if (resultsIn(prompt).length === CALLS.length) {
        for (const name of names) fs.cpSync(path.join(folder, name), path.join(home, name), { recursive: true })
      }
    }
    await withPi([], (session) => session.prompt(questionOf('Rome')), { onCall })
    const prompts: Prompt[] = []
    await withPi(prompts, (session) => session.prompt(`${questionOf('Rome')} Go on.`), { home })
    const days = [...CALLS, 'sunday'].map((day) => `Rome-${day}`)
    expect(prompts.map(resultsIn)).toEqual([days.slice(0, 2), days])
    expect(prompts.map(callsIn)).toEqual(prompts.map(resultsIn))
  })

  it('sheds old results, also of the turn that runs; each has its call', async () => {
    const prompts: Prompt[] = []
    const prune = { maxTokens: 420, results: { keep: 1 } }
    for (const city of ['Rome', 'Oslo']) await withPi(prompts, (session) => session.prompt(questionOf(city)), { prune })
    for (const prompt of prompts) {
      expect(resultsIn(prompt)).toEqual(callsIn(prompt))
      expect(tokensOf(prompt)).toBeLessThanOrEqual(420)
    }
    const texts = prompts.at(-1)!.flatMap((message) => (message.role === 'toolResult' ? message.content : []))
    const [shed, whole] = ['shed', 'sunny'].map((word) => ({ type: 'text', text: expect.stringContaining(word) }))
    expect(texts).toEqual([shed, shed, shed, shed, shed, whole])
    const store = await openStore(address(folder))
    const { contexts } = await store.list()
    const ctx = await store.open(contexts[0]!.id)
    const kept = ctx.nodes("[kind='result']").map(({ id }) => ctx.recall(id))
    expect(kept).toEqual(Array(6).fill(expect.stringContaining('sunny')))
    await store.close()
  })
})
