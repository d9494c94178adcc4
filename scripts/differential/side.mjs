// One of the two builds, and what a program has made with it. `Side.run` does one call and gives what came of it as text.

import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { requestOptions, sameRefusal, sameWarnings, unchanged } from './changes.mjs'
import { exportsOf, observe, readOne } from './observe.mjs'
import { omit, requestFacts, show, showError } from './show.mjs'
import { START } from './fixed.mjs'
import { StoreSide } from './stored.mjs'

const DOORS = ['.', './store', './anthropic', './openai', './gemini', './ai-sdk', './tokens']

/**
 * The files behind the doors of a built package, by the `exports` of its package.json.
 * @param {string} folder
 */
export function buildFiles(folder) {
  const about = path.join(folder, 'package.json')
  if (!fs.existsSync(about)) throw new Error(`There is no package.json in ${folder}.`)
  const { exports } = JSON.parse(fs.readFileSync(about, 'utf8'))
  return DOORS.map((door) => {
    const file = path.resolve(folder, exports[door].default)
    if (!fs.existsSync(file)) throw new Error(`There is no build in ${folder}: ${exports[door].default} is missing.`)
    return file
  })
}

/** @param {string} folder */
export async function loadBuild(folder) {
  const doors = {}
  for (const [at, file] of buildFiles(folder).entries()) doors[DOORS[at]] = await import(pathToFileURL(file).href)
  const adapters = {
    anthropic: adapterOf(doors['./anthropic'], 'Anthropic'),
    'openai-chat': adapterOf(doors['./openai'], 'OpenAIChat'),
    'openai-responses': adapterOf(doors['./openai'], 'OpenAIResponses'),
    gemini: adapterOf(doors['./gemini'], 'Gemini'),
    'ai-sdk': adapterOf(doors['./ai-sdk'], 'ModelMessages'),
  }
  return { folder, ...doors['.'], store: doors['./store'], tokens: doors['./tokens'], adapters }
}

function adapterOf(door, name) {
  return { from: door[`from${name}`], to: door[`to${name}`], receive: door[`receive${name}`] }
}

export class Side {
  contexts = []
  at = 0
  holds = []
  attempts = []
  warnings = []
  stored = undefined

  /** @param {Awaited<ReturnType<typeof loadBuild>>} build @param {import('./program.mjs').Program} program */
  constructor(build, program, { changes, isSecond }) {
    this.build = build
    this.program = program
    this.changes = changes
    this.isSecond = isSecond
  }

  get ctx() {
    return this.contexts[this.at]
  }

  /** The context that the program begins with. */
  async begin() {
    const { start } = this.program
    if (start.kind === 'stored') {
      this.stored = new StoreSide(this)
      this.contexts = [await this.stored.begin()]
    } else if (start.kind === 'from')
      this.contexts = [this.build.adapters[start.format].from(start.conversation, this.options())]
    else this.contexts = [this.build.createContext(this.options())]
  }

  /** Options of a context; clock and ids count for this side alone. */
  options(more = {}) {
    const { dialect, odi, prune, history, emptySegments, ranges, ids, counts, ticks, keepAttempts } =
      this.program.options
    const clock = clockOf(ticks)
    return {
      id: 'main',
      dialect,
      odi,
      prune,
      emptySegments,
      ...(history === undefined ? {} : { history }),
      ...(ranges ? {} : { selectRangeReturnsDiff: false }),
      ...(keepAttempts === undefined ? {} : { keepAttempts }),
      ...(ids === undefined
        ? {}
        : {
            ids: ({ cycle, index, nodeType }) =>
              ids === 'odd' ? `é ${nodeType}'${cycle}/${index}` : `n${cycle % 3}-${index}`,
          }),
      ...(counts === undefined ? {} : { countTokens: (text) => Math.ceil(text.length / counts) }),
      onWarning: ({ details }) => this.warnings.push(details),
      clock,
      attemptClock: clockOf([1_000_000]),
      ...more,
    }
  }

  /** Does a call and gives what came of it, or how it was refused, as text. */
  async run(call) {
    try {
      return show(await this.#do(call))
    } catch (error) {
      return showError(sameRefusal(error, this.changes))
    }
  }

  async #do(call) {
    const { ctx, build } = this
    switch (call.do) {
      case 'edit':
        return this.#edit(call)
      case 'batch':
        return ctx.batch(() => {
          const made = call.calls.map((each) => this.#edit(each))
          if (call.fails) throw new RangeError('planned')
          return made
        })
      case 'commit': {
        const snapshot = await (this.stored === undefined ? ctx.commit() : ctx.commit(call.options))
        await this.stored?.settled()
        return { cycle: snapshot.cycle, receipt: snapshot.receipt, ref: snapshot.ref, schedules: snapshot.schedules }
      }
      case 'turns': {
        const seen = []
        for (const turn of call.turns) {
          const ids = turn.map((each) => this.#edit(each).id)
          const { receipt } = await ctx.commit()
          await this.stored?.settled()
          seen.push([ids, receipt])
        }
        return seen
      }
      case 'undo':
        return ctx.undo()
      case 'forget':
        return ctx.forget(call.selector, call.options)
      case 'hold':
        this.holds.push(ctx.hold(call.id))
        return this.holds.length
      case 'release':
        return this.holds[call.at % Math.max(1, this.holds.length)]?.release()
      case 'fork':
        return this.#fork(call)
      case 'switch':
        this.at = call.at % this.contexts.length
        return this.at
      case 'import': {
        const made = build.importSnapshot(ctx.export(call.lens), this.options({ dialect: undefined }))
        this.#take(made)
        return exportsOf(made, 'working')
      }
      case 'mutated': {
        const made = build.importSnapshot(call.text, this.options({ dialect: undefined }))
        const found = ['#note', '.block', '*:last', '[tags]', '.seg:depth(1)'].map((text) =>
          made.select(text, { dialect: '1.0' }),
        )
        return [exportsOf(made, 'working'), exportsOf(made, '@t0'), made.threadBytes(), made.cycle, found]
      }
      case 'replay': {
        const operations = call.operations ?? ctx.operations()
        const fork = ctx.fork('@t0', this.options({ id: 'replayed', dialect: undefined }))
        const ids = build[call.how](fork, operations)
        return [ids, exportsOf(fork, 'working'), fork.operations()]
      }
      case 'attempt': {
        const attempt = ctx.startAttempt(this.#input(call.input))
        this.attempts.push(attempt)
        return [unchanged('attempts', attempt.record, this.changes), attempt.tokens()]
      }
      case 'end': {
        const attempt = this.attempts[call.at % Math.max(1, this.attempts.length)]
        if (attempt === undefined) return undefined
        return unchanged(
          'attempts',
          attempt[call.how](call.how === 'fail' ? new Error('429') : call.usage),
          this.changes,
        )
      }
      case 'receive': {
        const attempt = call.attempt ? this.attempts.at(-1) : undefined
        const options = attempt === undefined ? undefined : { attempt }
        return unchanged('receive', build.adapters[call.format].receive(ctx, call.reply, options), this.changes)
      }
      case 'request':
        return this.request(ctx, call.format, call.options)
      case 'read':
        return readOne(this, call)
      default:
        return this.stored.run(call)
    }
  }

  /** All facts of a provider's request. */
  request(ctx, format, options) {
    return requestFacts(this.build.adapters[format].to(ctx, requestOptions(options, this.changes, this.isSecond)))
  }

  #edit({ method, system, args }) {
    if (method === 'compact') return this.#compact(...args)
    const target = system ? this.ctx.system : this.ctx
    return target[method](...args.map(revived))
  }

  /** The plan is an answer, too. */
  #compact(keep, text, options) {
    const plan = this.ctx.planCompaction({ keep })
    return { ...omit(plan, 'prompt'), made: this.ctx.compact(plan, text, options) }
  }

  #input({ adapter, ...input }) {
    return adapter === undefined ? input : { ...input, for: this.build.adapters[adapter].to }
  }

  async #fork({ lens, id, goes }) {
    const fork =
      this.stored === undefined
        ? this.ctx.fork(lens, this.options({ id, dialect: undefined }))
        : await this.stored.fork(this.ctx, lens, id)
    this.contexts.push(fork)
    if (goes) this.at = this.contexts.length - 1
    return exportsOf(fork, 'working')
  }

  #take(made) {
    this.contexts[this.at] = made
    this.holds = []
    this.attempts = []
  }

  /** Gives all that can be seen of the contexts in the end to `add`, as parts with names. */
  async seen(plan, add) {
    for (const [at, ctx] of this.contexts.entries())
      await observe(this, ctx, { ...plan, name: `context ${at}`, isBrief: at !== this.at }, add)
    add('warnings', show(sameWarnings(this.warnings, this.changes)))
    if (this.stored !== undefined) await this.stored.seen(plan, add)
  }

  async end() {
    await this.stored?.end()
  }
}

/** A clock of its own; ticks may be 0 or below. @param {readonly number[]} ticks */
function clockOf(ticks) {
  let now = START
  let at = 0
  return () => (now += BigInt(ticks[at++ % ticks.length]))
}

/** Arguments as the build takes them: patterns are data until here. */
function revived(value) {
  const pattern = value?.match?.pattern
  return pattern === undefined ? value : { ...value, match: new RegExp(pattern[0], pattern[1]) }
}
