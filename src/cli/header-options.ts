// The header of a node as options.

import type { JsonValue } from '../core/index.js'
import { gather, number, text, texts, whole, flag } from './given.js'
import type { OptionSpec, Values } from './spec.js'
import { UsageError } from './usage-error.js'

/** Headers that may change at any depth. */
export const CHANGE_OPTIONS: readonly OptionSpec[] = [
  { flags: '--ttl <n>', about: 'the number of commits it stays; none for ever', parse: wholeOrNone },
  { flags: '--priority <n>', about: 'higher ones are pruned later', parse: whole(Number.MIN_SAFE_INTEGER) },
  { flags: '--pinned', about: 'is never pruned' },
  { flags: '--no-pinned', about: 'may be pruned again' },
  { flags: '--tag <tag>', about: 'a tag; may be given several times', parse: gather },
]

export const HEADER_OPTIONS: readonly OptionSpec[] = [
  { flags: '--key <key>', about: 'its name among the live nodes' },
  ...CHANGE_OPTIONS,
  { flags: '--cad <n>', about: 'returns every n commits; needs a key', parse: whole(1) },
  { flags: '--role <role>', about: 'who speaks' },
  { flags: '--kind <kind>', about: 'what it is, such as call, result or plan' },
  { flags: '--type <type>', about: 'a type of your own' },
  {
    flags: '--offset <n>',
    about: 'its place around the core: negative before it',
    parse: whole(Number.MIN_SAFE_INTEGER),
  },
  { flags: '--ref <id>', about: 'a node it refers to; may be given several times', parse: gather },
  { flags: '--removable', about: 'a container that goes when it is empty' },
  { flags: '--data <name=value>', about: 'an attribute data_NAME; the value is JSON, or else text', parse: gather },
  { flags: '--as-json', about: 'the text is JSON, and the content its value' },
]

function wholeOrNone(given: string): number | null {
  return given === 'none' ? null : whole(0)(given)
}

/** The changes that were asked for. */
export function changesOf(options: Values): Readonly<Record<string, JsonValue>> {
  const { ttl, pinned } = options
  const [priority, tags] = [number(options, 'priority'), texts(options, 'tag')]
  return {
    ...(ttl === null || typeof ttl === 'number' ? { ttl } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(typeof pinned === 'boolean' ? { pinned } : {}),
    ...(tags === undefined ? {} : { tags }),
  }
}

/** The header that was asked for. */
export function headerOf(options: Values): Readonly<Record<string, JsonValue>> {
  const given: [string, JsonValue | undefined][] = [
    ['key', text(options, 'key')],
    ['cad', number(options, 'cad')],
    ['role', text(options, 'role')],
    ['kind', text(options, 'kind')],
    ['type', text(options, 'type')],
    ['offset', number(options, 'offset')],
    ['refs', texts(options, 'ref')],
    ['removable', flag(options, 'removable') ? true : undefined],
    ...(texts(options, 'data') ?? []).map(dataOf),
  ]
  const named = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return { ...changesOf(options), ...Object.fromEntries(named) }
}

function dataOf(given: string): [string, JsonValue] {
  const at = given.indexOf('=')
  if (at < 1) throw new UsageError(`--data is name=value, not "${given}".`)
  const name = given.slice(0, at)
  return [/^(?:data|content)_/.test(name) ? name : `data_${name}`, valueOf(given.slice(at + 1))]
}

function valueOf(given: string): JsonValue {
  try {
    return JSON.parse(given) as JsonValue
  } catch {
    return given
  }
}

/** The content of a node: text, or with `--as-json` a JSON value. */
export function contentOf(given: string, options: Values): JsonValue {
  if (!flag(options, 'asJson')) return given
  try {
    return JSON.parse(given) as JsonValue
  } catch (cause) {
    throw new UsageError(`With --as-json the text must be JSON, but this is not: "${given.slice(0, 80)}".`, { cause })
  }
}
