// What the playground shows before you bring something of your own: the story of the demo, which has everything that can happen to a node, and the
// recorded conversations of the demo.

import { readConversation } from '../../src/commands/importing/read-conversation.js'
import { createContext, type Context, type JsonValue } from '../../src/index.js'
import { NO_TIME } from './playground.js'

export type Sample = Readonly<{ id: string; title: string; about: string; open: () => Promise<Context> }>

const BY_DEMO = 'Recorded and published by'

export const SAMPLES: readonly Sample[] = [
  {
    id: 'story',
    title: 'A rail desk: notes expire, a plan changes, a budget prunes',
    about: 'Made up for the demo. It has ttls, keys, tags, a reminder that returns, a redaction and a token budget.',
    open: openStory,
  },
  {
    id: 'airline',
    title: 'An airline agent with two tool calls',
    about: `${BY_DEMO} sierra-research/tau-bench (MIT).`,
    open: async () => openRecord(await import('../../demo/conversations/airline.json')),
  },
  {
    id: 'decorators',
    title: 'A coding agent edits a file and runs it',
    about: `${BY_DEMO} daaain/claude-code-log (MIT).`,
    open: async () => openRecord(await import('../../demo/conversations/decorators.json')),
  },
  {
    id: 'family',
    title: 'Four tool calls in parallel',
    about: `${BY_DEMO} pydantic/pydantic-ai (MIT).`,
    open: async () => openRecord(await import('../../demo/conversations/family.json')),
  },
  {
    id: 'stocks',
    title: 'Two share prices, in Chinese',
    about: `${BY_DEMO} hiyouga/LLaMA-Factory (Apache-2.0).`,
    open: async () => openRecord(await import('../../demo/conversations/stocks.json')),
  },
]

async function openStory(): Promise<Context> {
  const { storyOptions, tellStory } = await import('../../demo/story.mjs')
  const context = createContext(storyOptions())
  await tellStory(context, () => context.commit())
  return context
}

function openRecord(module: Readonly<{ default: unknown }>): Context {
  return readConversation(module.default as JsonValue, { options: { clock: NO_TIME } }).context
}
