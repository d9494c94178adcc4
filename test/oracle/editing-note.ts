// The note of pruning in the naive model (D60): the names in the calls that left, in one line at the beginning of history. It tries the note on the
// tree, measures every limit, and takes it back.

import { type ModelNode, region, sorted } from './editing-tree.js'

const BEGIN = '[earlier messages were pruned; their calls named: '

/** The note of a tree: the first node of the core of the oldest segment, if it is a block of the kind. */
export function noteNode(root: ModelNode): ModelNode | undefined {
  const [oldest] = sorted(region(root, '^seq').children)
  const core = oldest?.children.find((child) => child.core)
  const [first] = sorted(core?.children ?? [])
  return first?.class === 'block' && first.given['kind'] === 'pruned' ? first : undefined
}

/** The text of the note after these nodes left; undefined if it stays as it is. */
export function noteLine(
  root: ModelNode,
  left: ModelNode[],
  most: number,
  limits: { limit: number; measure: () => number }[],
): string | undefined {
  const calls = left.filter((node) => node.given['kind'] === 'call')
  const old = noteNode(root)
  let names: string[] = []
  const said = old?.given['content']
  if (typeof said === 'string' && said.startsWith(BEGIN) && said.endsWith(']')) {
    names = said.slice(BEGIN.length, said.length - 1).split(', ')
  }
  // CHOICE 90: a name that comes again is at the end; the last names are kept.
  for (const call of calls) {
    for (const name of namesOf(call.given['content'])) names = [...names.filter((each) => each !== name), name]
  }
  const line = `${BEGIN}${names.slice(Math.max(0, names.length - most)).join(', ')}]`
  if (most === 0 || calls.length === 0 || names.length === 0 || said === line) return undefined
  const before = limits.map(({ measure }) => measure())
  const undo = old === undefined ? tryNew(root, line) : tryOther(old, line)
  const after = limits.map(({ measure }) => measure())
  undo()
  // CHOICE 91: a note that passes a limit that holds is not written; what is unmet anyway asks nothing.
  return limits.every(({ limit }, i) => after[i]! <= limit || before[i]! > limit) ? line : undefined
}

function tryOther(note: ModelNode, line: string): () => void {
  const { given } = note
  note.given = { ...given, content: line }
  return () => void (note.given = given)
}

function tryNew(root: ModelNode, line: string): () => void {
  const seq = region(root, '^seq')
  const { children } = seq
  const bare = { ...seq, given: {}, children: [] }
  const block: ModelNode = { ...bare, id: 'note', class: 'block', given: { content: line } }
  const core: ModelNode = { ...bare, id: 'core of the note', class: 'cont', core: true, children: [block] }
  seq.children = [...children, { ...bare, id: 'segment of the note', class: 'seg', children: [core] }]
  return () => void (seq.children = children)
}

/** The names in the arguments of a call, which are the whole content where no known key holds them. */
export function namesOf(content: unknown): string[] {
  let given = content
  for (const path of PATHS) {
    const found = path.reduce(
      (at: unknown, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      content,
    )
    if (found !== undefined) {
      given = found
      break
    }
  }
  if (typeof given === 'string') {
    try {
      given = JSON.parse(given)
    } catch {
      // The text itself.
    }
  }
  return textsIn(given).flatMap((text) => (text.length > 200 ? [] : wordsIn(text).filter(isName)))
}

const HOLDERS = [[], ['function'], ['custom'], ['functionCall'], ['function_call'], ['toolUse']]
const PATHS = HOLDERS.flatMap((holder) => ['input', 'arguments', 'args'].map((key) => [...holder, key]))

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function wordsIn(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (const char of `${text} `) {
    if (char.trim() === '' || '"\'`()[]{}<>|;,=*?&!\\^'.includes(char)) {
      words.push(word)
      word = ''
    } else word += char
  }
  return words.map(trimmed)
}

function trimmed(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && ':.+%-'.includes(word[from]!)) from++
  while (to > from && ':.+%/-'.includes(word[to - 1]!)) to--
  return word.slice(from, to)
}

const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

function isName(word: string): boolean {
  if (word.length < 4 || word.length > 100) return false
  const has = (chars: string): boolean => [...word].some((char) => chars.includes(char))
  const only = (text: string, chars: string): boolean => [...text].every((char) => chars.includes(char))
  const isPath = word
    .split('/')
    .slice(1)
    .some((part) => part !== '')
  const isId = has(DIGITS) && only(word, `${DIGITS}${LETTERS}_#@.:-`) && has(`${LETTERS}#`)
  const dot = word.lastIndexOf('.')
  const [stem, ending] = [word.slice(0, Math.max(0, dot)), word.slice(dot + 1)]
  const isFile =
    dot > 0 &&
    only(stem, `${DIGITS}${LETTERS}_.-`) &&
    only(stem.at(-1)!, `${DIGITS}${LETTERS}_`) &&
    ending.length >= 1 &&
    ending.length <= 5 &&
    only(ending[0]!, LETTERS) &&
    only(ending, `${DIGITS}${LETTERS}`)
  return isPath || isFile || isId || only(word, DIGITS)
}
