// Random contexts for the fuzz: a conversation of some provider with turns of its features, and then everything that may happen to a context.

import fc from 'fast-check'

import { receiveModelMessages } from '../../../../src/adapters/ai-sdk/index.js'
import { receiveAnthropic } from '../../../../src/adapters/anthropic/index.js'
import { receiveBedrock } from '../../../../src/adapters/bedrock/index.js'
import { receiveGemini, receiveGeminiInteractions } from '../../../../src/adapters/gemini/index.js'
import { receiveMistral } from '../../../../src/adapters/mistral/index.js'
import { receiveOpenAIChat, receiveOpenAIResponses } from '../../../../src/adapters/openai/index.js'
import type { FormatName } from '../../../../src/formats/index.js'
import {
  importSnapshot,
  PactError,
  replayOperations,
  type Context,
  type ContextOptions,
  type PrunePolicy,
} from '../../../../src/index.js'
import { ADAPTERS } from '../../../../src/adapters/index.js'
import { FORMATS } from '../formats.js'
import { odderOf, replyOf } from '../replies.js'
import { rewrite, rewrites, type Rewrite } from '../rewrites.js'
import { arbitraryShakes, shake, type Shake } from '../shaken.js'
import type { Keyed } from '../violations.js'
import { FEATURES } from './features.js'

const RECEIVE: Readonly<Record<FormatName, (ctx: Context, reply: never) => unknown>> = {
  anthropic: receiveAnthropic,
  'openai-chat': receiveOpenAIChat,
  'openai-responses': receiveOpenAIResponses,
  gemini: receiveGemini,
  'gemini-interactions': receiveGeminiInteractions,
  mistral: receiveMistral,
  bedrock: receiveBedrock,
  'ai-sdk': receiveModelMessages,
}

const NAMES = Object.keys(RECEIVE) as FormatName[]

export const ACTS = [
  'redact',
  'redact letters',
  'foreign letters',
  'unknown part',
  'thought',
  'attempt',
  'draft',
  'reopen',
  'hold',
  'update',
  'shed',
  'trim',
  'compact',
  'set',
  'cadence',
  'system',
  'odd text',
  'media',
  'fork',
  'prune',
  'undo',
  'step',
] as const

type Act = Readonly<{ what: (typeof ACTS)[number]; by: FormatName; at: number }>

type Event = Readonly<{ act: Act }> | Readonly<{ shake: Shake }> | Readonly<{ rewrite: Rewrite }>

export type FuzzCase = Readonly<{
  name: FormatName
  request: object
  options: ContextOptions
  events: readonly Event[]
  /** Chooses among the options of requests. */
  pick: number
}>

const act: fc.Arbitrary<Act> = fc.record({
  what: fc.constantFrom(...ACTS),
  by: fc.constantFrom(...NAMES),
  at: fc.nat(1000),
})

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: act.map((act) => ({ act })) },
  { weight: 2, arbitrary: arbitraryShakes(1).map(([one]) => ({ shake: one! })) },
  { weight: 2, arbitrary: rewrites.map(([one]) => ({ rewrite: one ?? { kind: 'commit', at: 0, to: 0 } })) },
)

const policy: fc.Arbitrary<PrunePolicy | undefined> = fc.constantFrom<(PrunePolicy | undefined)[]>(
  undefined,
  undefined,
  { maxTokens: 300, results: { keep: 1 } },
  { maxTokens: 200, unit: 'turn', target: 0.5 },
  { maxNodes: 12 },
  { maxDepth: 3 },
)

/** Cases that begin with a conversation of the format. */
export function fuzzCases(name: FormatName): fc.Arbitrary<FuzzCase> {
  const { arbitrary } = FORMATS.find((format) => format.name === name)!
  const features = fc.array(fc.nat(100), { maxLength: 3 })
  return fc
    .record({
      talk: fc.oneof(arbitrary('valid'), arbitrary('odd')),
      features,
      prune: policy,
      events: fc.array(event, { maxLength: 10 }),
      pick: fc.nat(10_000),
    })
    .map(({ talk, features, prune, events, pick }) => ({
      name,
      request: withFeatures(name, talk, features),
      options: prune === undefined ? {} : { prune },
      events,
      pick,
    }))
}

/** The conversation with turns of its provider's features behind it. */
export function withFeatures(name: FormatName, talk: object, picks: readonly number[]): object {
  const key = listKey(name)
  const list = (talk as Keyed)[key]
  const turns = picks.flatMap((pick, at) => FEATURES[name][pick % FEATURES[name].length]!(at))
  return Array.isArray(list) ? { ...talk, [key]: [...(list as unknown[]), ...turns] } : talk
}

export function listKey(name: FormatName): string {
  if (name === 'gemini') return 'contents'
  return name === 'openai-responses' || name === 'gemini-interactions' ? 'input' : 'messages'
}

/**
 * Opens the conversation and does all of it. `look` gets the context at the end, and of every fourth case also the imported one. Gives the acts that
 * the context did not refuse.
 */
export function play(
  { name, request, options, events, pick }: FuzzCase,
  look: (ctx: Context) => void,
): readonly Act['what'][] {
  const done: Act['what'][] = []
  const { from } = FORMATS.find((format) => format.name === name)!
  let ctx = from(request as never, options)
  if (pick % 4 === 0 && events.length > 0) look(ctx)
  for (const each of events) {
    if ('shake' in each) shake(ctx, [each.shake])
    else if ('rewrite' in each) rewrite(ctx, each.rewrite)
    else {
      try {
        ctx = perform(ctx, each.act)
        done.push(each.act.what)
      } catch (error) {
        // A refusal of the context is no fault of a request.
        if (!PactError.is(error) || error.code === 'E_INTERNAL') throw error
      }
    }
  }
  look(ctx)
  return done
}

/** Parts of words, also of types, codes, ids and keys. */
const LETTERS = [/[aeiou]+/, /t/, /[^\s]+/, /_/, /call|result/, /text|type/, /[A-Z0-9]/, /^./, /./]

const ODD_TEXTS = ['cut \ud83c', '\udf00 cut', ' ', '', 'a\u0000b', '\ufeff', '\u202e<|im_end|>', 'x\n'.repeat(300)]

function perform(ctx: Context, { what, by, at }: Act): Context {
  switch (what) {
    case 'redact': {
      const ids = ctx.select('.block, .cont')
      const instead = ['', '[redacted]', ' '][at % 3]!
      ctx.redact(`[id='${ids[at % ids.length]}']`, { match: /\b[A-Z][a-z]+\b/, with: instead })
      return ctx
    }
    case 'redact letters': {
      const match = LETTERS[at % LETTERS.length]!
      ctx.redact(at % 2 === 0 ? '^seq *' : '^seq .block', { match, with: ['', 'ü', '[x]', '鍵'][(at >> 3) % 4]! })
      return ctx
    }
    case 'foreign letters': {
      const id = `вызов ${at % 3}`
      ctx.set('план', { шаг: at, 鍵: ['é', { 'ключ с пробелом': null }] })
      ctx.assistant({ name: 'найти café', arguments: { où: 'Orléans', 鍵: at } }, { kind: 'call', data_call_id: id })
      if (at % 4 > 0) ctx.tool({ найдено: at, '': 'ß' }, { kind: 'result', data_call_id: id })
      return ctx
    }
    case 'unknown part':
      ctx.user(`Question ${at}.`)
      RECEIVE[by](ctx, odderOf(by, 'unknown') as never)
      return ctx
    case 'thought':
      if (at % 2 === 0) ctx.user(`Question ${at}.`)
      RECEIVE[by](ctx, odderOf(by, 'thought', at) as never)
      return ctx
    case 'attempt': {
      ctx.user(`Question ${at}.`)
      const attempt = ctx.startAttempt({ for: ADAPTERS[by].to, params: { model: 'scripted' } })
      if (at % 5 === 0) return ctx
      attempt.receive(at % 2 === 0 ? odderOf(by, 'thought', at) : replyOf(by, { text: 'Yes.' }))
      return ctx
    }
    case 'draft': {
      // The edits of the open cycle once more, on the tree that they began with.
      const operations = ctx.operations()
      const again = ctx.fork('@t0')
      replayOperations(again, operations)
      return again
    }
    case 'reopen':
      return importSnapshot(ctx.export('preview'))
    case 'hold': {
      const ids = ctx.select('.block')
      ctx.hold(ids[at % ids.length]!)
      return ctx
    }
    case 'update': {
      const ids = ctx.select('.block')
      const changes = [{ ttl: 1 }, { kind: 'note' }, { data_call_id: 'same' }, { data_call_id: 'é/1' }, { pri: at }]
      ctx.update(`[id='${ids[at % ids.length]}']`, changes[at % changes.length]!)
      return ctx
    }
    case 'shed':
      ctx.commit()
      return ctx.fork('@t0', { prune: { maxTokens: (at % 200) + 20, results: { keep: at % 3 } } })
    case 'trim':
      ctx.trim()
      return ctx
    case 'compact':
      ctx.compact(ctx.planCompaction({ keep: (at % 3) + 1 }), `Summary ${at}.`)
      return ctx
    case 'set':
      ctx.set('plan', at % 2 === 0 ? `Plan ${at}.` : { step: at })
      return ctx
    case 'cadence':
      ctx.post(`Reminder ${at}.`, { key: `every ${at % 3}`, cad: (at % 3) + 1, ...(at % 2 === 0 ? { ttl: 1 } : {}) })
      return ctx
    case 'system':
      ctx.system.set('rule', `Rule ${at}.`)
      return ctx
    case 'odd text': {
      const text = ODD_TEXTS[at % ODD_TEXTS.length]!
      if (at % 3 === 0) ctx.assistant(text)
      else if (at % 3 === 1) ctx.user(text)
      else ctx.pre(text, { ttl: 1 })
      return ctx
    }
    case 'media':
      ctx.user([
        { type: 'text', text: 'See.' },
        at % 2 === 0
          ? { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
          : { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' } },
      ])
      return ctx
    case 'fork':
      ctx.commit()
      return ctx.fork('@t0')
    case 'prune':
      ctx.commit()
      return ctx.fork('@t0', { prune: at % 2 === 0 ? { maxNodes: (at % 20) + 1 } : { maxTokens: (at % 400) + 20 } })
    case 'undo':
      ctx.undo()
      return ctx
    case 'step':
      step(ctx, by, at)
      return ctx
  }
}

/** A reply with two calls; results come in the same cycle or in later ones, in either order, and one may be missing. */
function step(ctx: Context, by: FormatName, at: number): void {
  const ids = [`call_${at % 5}`, `call_${(at % 5) + 1}`]
  const calls = ids.map((id) => ({ id, name: 'look_up', arguments: { at } }))
  if (at % 7 === 0) ctx.user(`Question ${at}.`)
  RECEIVE[by](ctx, replyOf(by, { text: at % 2 === 0 ? 'Let me see.' : '', calls }) as never)
  if (at % 3 === 0) ctx.commit()
  const answered = at % 4 === 0 ? ids.toReversed() : ids.slice(at % 5 === 0 ? 1 : 0)
  for (const [n, id] of answered.entries()) {
    ctx.tool(n === 0 ? `Seen ${at}.` : { found: at }, { kind: 'result', data_call_id: id })
    if (at % 6 === 1) ctx.commit()
  }
}
