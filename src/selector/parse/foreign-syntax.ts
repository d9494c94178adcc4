// Words that other query languages have and this one has not, each with the way to ask the same here.

const PARENT = 'ask for what is inside, as in ".seg .x", and take the parentId of each node'
const OPPOSITE = "ask for the opposite in a test, as in [role!='user'] or [nodeType!='note']"
const UNION = 'put a union in parentheses: ( .a, .b )'
const TEXT = "a text inside is [content~'text']"

/** Predicates by name. */
const PREDICATES: ReadonlyMap<string, string> = new Map([
  ['has', PARENT],
  ['parent', PARENT],
  ['not', OPPOSITE],
  ['is', UNION],
  ['where', UNION],
  ['any', UNION],
  ['matches', UNION],
  ['contains', TEXT],
  ['text', TEXT],
  ['empty', 'what has no content is [content=null]'],
  ['root', 'the root is ^root'],
  ['first-child', 'write :first'],
  ['first-of-type', 'write :first'],
  ['last-child', 'write :last'],
  ['last-of-type', 'write :last'],
  ['nth-child', 'write :nth(1)'],
  ['nth-of-type', 'write :nth(1)'],
  ['eq', 'write :nth(1)'],
])

/** The way to ask for a predicate of another language here; undefined for an unknown name. */
export function adviseForeign(name: string): string | undefined {
  return PREDICATES.get(name)
}
