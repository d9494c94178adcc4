// The verdicts of a judge of provider requests. A judge keeps its rules as data, name to sentence, so that the
// test of the judges can ask for a planted fault of every rule.

export type Violation = Readonly<{ rule: string; path: string; text: string }>

/** Why a provider refuses a request, by the rule's name. `[T]`, `[E]`, `[D]`, `[R]`, `[V]` say where a rule is from. */
export type Rules<Rule extends string> = Readonly<Record<Rule, string>>

export class Findings<Rule extends string> {
  readonly list: Violation[] = []
  readonly #rules: Rules<Rule>

  constructor(rules: Rules<Rule>) {
    this.#rules = rules
  }

  add(rule: Rule, path: string, detail = ''): void {
    this.list.push({ rule, path, text: `${path}: ${this.#rules[rule]}${detail === '' ? '' : ` (${detail})`}` })
  }
}

export type Keyed = Readonly<Record<string, unknown>>

export function isKeyed(value: unknown): value is Keyed {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function keyedList(value: unknown): readonly Keyed[] {
  return Array.isArray(value) ? value.filter(isKeyed) : []
}

/** The texts among the values of `key`: ids and names that a fault of shape has left out elsewhere. */
export function textAt(value: Keyed, key: string): string | undefined {
  const found = value[key]
  return typeof found === 'string' ? found : undefined
}

export function repeated(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text, at) => texts.indexOf(text) !== at))]
}
