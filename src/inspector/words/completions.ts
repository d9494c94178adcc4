// Completions for the selector bar, from the names in the tree, with counts.

import type { At } from '../state/link.js'
import type { NameCount, Names } from '../../api/index.js'

export type Completion = Readonly<{
  text: string
  says: string
  count?: number
  /** Start of the replaced text in the field. */
  from: number
}>

type Offer = Readonly<{ text: string; says: string; count?: number | undefined }>

const MOST = 8
const REGIONS: readonly Offer[] = [
  { text: '^sys', says: 'system region' },
  { text: '^seq', says: 'sealed segments' },
  { text: '^ah', says: 'active head' },
]
const PLACES: readonly Offer[] = [
  { text: ':pre', says: 'pre-context' },
  { text: ':core', says: 'the core' },
  { text: ':post', says: 'post-context' },
  { text: ':first', says: 'the first of those found' },
  { text: ':last', says: 'the last of those found' },
  { text: ':depth(1)', says: 'depth of a segment' },
  { text: ':nth(2)', says: 'one of those found' },
]
const TESTS: readonly Offer[] = [
  { text: '[ttl]', says: 'has a ttl' },
  { text: '[ttl<=1]', says: 'leaves at the next commit' },
  { text: "[content~'']", says: 'contains a text' },
  { text: '[priority<0]', says: 'pruned first' },
  { text: '[pinned=true]', says: 'no budget takes it' },
]
const TYPES: ReadonlyMap<string, string> = new Map([
  ['block', 'blocks'],
  ['seg', 'segments'],
  ['cont', 'containers'],
  ['redaction', 'redaction markers'],
])

/** Completions at a position in the text; `names` are those of the tree in view. */
export function complete(text: string, at: number, names: Names | undefined, moment: At | null): readonly Completion[] {
  const before = text.slice(0, at)
  if (before.trim() === '') return starts(names).map((offer) => placed(offer, 0))
  const word = /[@^.#+:[][^\s@^.#+:[\]]*$/.exec(before)?.[0]
  if (word === undefined) return []
  return offersFor(word[0]!, names, moment)
    .filter((offer) => offer.text.startsWith(word) && offer.text !== word)
    .slice(0, MOST)
    .map((offer) => placed(offer, at - word.length))
}

function placed({ text, says, count }: Offer, from: number): Completion {
  return { text, says, from, ...(count === undefined ? {} : { count }) }
}

/** First suggestions that match something in this tree. */
function starts(names: Names | undefined): readonly Offer[] {
  const tag = names?.tags[0]
  const key = names?.keys[0]
  return [
    ...(tag === undefined ? [] : [{ text: `+${word(tag.name)}`, says: 'nodes with this tag', count: tag.count }]),
    ...(key === undefined ? [] : [{ text: `#${word(key.name)}`, says: 'the node with this key', count: key.count }]),
    { text: "^seq .block[kind='result']", says: 'tool results in history' },
    { text: '[ttl<=1]', says: 'what leaves at the next commit' },
    { text: '.redaction', says: 'redaction markers' },
    { text: '@history [ttl]', says: 'everything that ever had a ttl' },
  ]
}

function offersFor(sign: string, names: Names | undefined, moment: At | null): readonly Offer[] {
  const named = (list: readonly NameCount[] | undefined, before: string, says: string): Offer[] =>
    (list ?? []).map(({ name, count }) => ({ text: `${before}${word(name)}`, says, count }))
  switch (sign) {
    case '^':
      return REGIONS
    case ':':
      return PLACES
    case '#':
      return named(names?.keys, '#', 'key')
    case '+':
      return named(names?.tags, '+', 'tag')
    case '.':
      return typesOf(names)
    case '[':
      return [
        ...(names?.roles ?? []).map(({ name, count }) => test('role', name, count)),
        ...(names?.kinds ?? []).map(({ name, count }) => test('kind', name, count)),
        ...TESTS,
        ...(names?.attributes ?? []).map(({ name, count }) => ({
          text: `[${name}]`,
          says: 'has this attribute',
          count,
        })),
      ]
    default:
      return times(moment)
  }
}

function test(field: string, value: string, count: number): Offer {
  return { text: `[${field}=${quoted(value)}]`, says: field === 'role' ? 'role' : 'kind of a block', count }
}

function typesOf(names: Names | undefined): readonly Offer[] {
  const there = (names?.types ?? [])
    .map(({ name, count }) => ({ name: name.replace(/^\^/, ''), count }))
    .filter(({ name }) => /^[A-Za-z][\w:-]*$/.test(name) && !['root', 'sys', 'seq', 'ah'].includes(name))
  const offers = there.map(({ name, count }): Offer => ({ text: `.${name}`, says: TYPES.get(name) ?? 'type', count }))
  const usual = [...TYPES].filter(([name]) => !there.some((each) => each.name === name))
  return [...offers, ...usual.map(([name, says]): Offer => ({ text: `.${name}`, says, count: 0 }))]
}

function times(moment: At | null): readonly Offer[] {
  const own = moment === null || moment === 'working' ? [] : [{ text: `@${moment} `, says: 'this cycle, for good' }]
  return [
    { text: '@t0 ', says: 'latest snapshot' },
    { text: '@t-1 ', says: 'the one before' },
    ...own,
    { text: '@working ', says: 'the open tree' },
    { text: '@history ', says: 'all snapshots: gives a diff' },
    { text: '@t-3..@t0 ', says: 'a range: gives a diff' },
  ]
}

/** A key or tag in selector syntax. */
function word(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (char) => `\\${char}`)}'`
}
