// Completion for shells: the script calls pctx with the words so far.

import { FILES, SCRIPTS } from '../completion-scripts.js'
import type { Action, Call, CommandSpec, OptionSpec } from '../spec.js'
import { UsageError } from '../usage-error.js'

export const completion: Action = async (call) => {
  const script = SCRIPTS.get(call.arguments[0] ?? '')
  if (script === undefined) throw new UsageError(`There is completion for ${[...SCRIPTS.keys()].join(', ')}.`)
  await call.terminal.write(script)
}

/** The largest number of contexts to offer. */
const MOST = 1000

/** Prints the completions of the last word, one on each line. */
export const complete: Action = async (call) => {
  const { COMMANDS } = await import('../table.js')
  const last = call.rest.at(-1) ?? ''
  const offered = await offers(call, COMMANDS, call.rest.slice(0, -1), last)
  const fits = offered.filter((each) => each === FILES || each.startsWith(last))
  await call.terminal.write(fits.map((each) => `${each}\n`).join(''))
}

async function offers(
  call: Call,
  specs: readonly CommandSpec[],
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const { COMMON_OPTIONS } = await import('../program.js')
  const known = [...COMMON_OPTIONS, ...specs.flatMap(({ options = [] }) => options)]
  const { words, values, asked } = typed(before, known)
  const spec = specs.find(({ name }) => name === words[0])
  const options = [...(spec?.options ?? []), ...COMMON_OPTIONS]
  // The value of an option, after a space or after `=`.
  const optionOf = (name: string): OptionSpec | undefined => options.find((each) => takes(each, name))
  if (asked !== undefined) return optionOf(asked)?.choices ?? []
  const [, name] = /^(--[\w-]+)=/.exec(last) ?? []
  if (name !== undefined) return (optionOf(name)?.choices ?? []).map((choice) => `${name}=${choice}`)
  if (last.startsWith('-')) return [...options.flatMap(namesOf), '--help']
  if (spec === undefined) {
    const names = specs.filter(({ group }) => group !== '').map((each) => each.name)
    return words.length === 0 ? [...names, 'help'] : words[0] === 'help' ? names : []
  }
  const wanted = spec.arguments ?? []
  const given = words.length - 1
  const argument = wanted[given] ?? (wanted.at(-1)?.name.includes('...') === true ? wanted.at(-1) : undefined)
  const { complete: what } = argument ?? {}
  if (what === 'file') return [FILES]
  if (what === 'lens') return ['@t0', '@t-1', 'working', 'preview']
  if (what === 'context') return contexts(call, values.get('--store'))
  if (what === 'selector') return selectors(call, words[1] ?? '', values.get('--store'))
  return what ?? []
}

type Typed = Readonly<{
  /** Words that are neither options nor their values. */
  words: readonly string[]
  values: ReadonlyMap<string, string>
  /** The option whose value comes next. */
  asked: string | undefined
}>

function typed(before: readonly string[], options: readonly OptionSpec[]): Typed {
  const words: string[] = []
  const values = new Map<string, string>()
  let asked: string | undefined
  for (const word of before) {
    const [, name, value] = /^(--?[\w-]+)(?:=([^]*))?$/.exec(word) ?? []
    if (asked !== undefined) {
      values.set(asked, word)
      asked = undefined
    } else if (name === undefined) words.push(word)
    else if (value !== undefined) values.set(name, value)
    else if (options.some((option) => takes(option, name))) asked = name
  }
  return { words, values, asked }
}

function takes(option: OptionSpec, name: string): boolean {
  return option.flags.includes('<') && namesOf(option).includes(name)
}

function namesOf({ flags }: OptionSpec): readonly string[] {
  return flags.match(/--?[\w-]+/g) ?? []
}

/** Contexts of the store that the line names, without ids that have line breaks. */
async function contexts(call: Call, address: string | undefined): Promise<readonly string[]> {
  const { catalogAt } = await import('../open-catalog.js')
  const catalog = address === undefined ? await call.catalog() : await catalogAt(address, 'read')
  try {
    const { contexts: found } = await catalog.list({ limit: MOST })
    return found.map(({ id }) => id).filter((id) => !/[\p{Cc}]/u.test(id))
  } finally {
    if (address !== undefined) await catalog.close()
  }
}

/** Names that are written as they are; others are not offered. */
const BARE = /^[\w-]+$/

/** Selectors of one step that find something in the newest tree: by type, key, tag, role and kind. */
async function selectors(call: Call, id: string, address: string | undefined): Promise<readonly string[]> {
  const { readNames, storePool } = await import('../../commands/index.js')
  const { openAt } = await import('../open-store.js')
  const store = address === undefined ? undefined : await openAt(address, 'read')
  const pool = store === undefined ? await call.pool() : storePool(store)
  try {
    const { types, keys, tags, roles, kinds } = await readNames(pool, { id, limit: MOST })
    const written = (before: string, found: readonly { name: string }[], behind = ''): readonly string[] =>
      found.flatMap(({ name }) => (BARE.test(name) ? [`${before}${name}${behind}`] : []))
    return [
      ...written('.', types),
      ...written('#', keys),
      ...written('+', tags),
      ...written("[role='", roles, "']"),
      ...written("[kind='", kinds, "']"),
    ]
  } finally {
    if (store !== undefined) {
      pool.close()
      await store.close()
    }
  }
}
