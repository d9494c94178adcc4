// A schema is one value for one shape. It gives the static type, the check with our sentences, the form in a query string, and
// JSON Schema. `describe` of the value that was given ends every sentence.

import { describe, invalid, isRecord } from '../errors/index.js'
import type { JsonObject, JsonValue } from '../core/index.js'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Schemas that have a name, by that name: the components of a description. */
export type Definitions = Record<string, JsonSchema>

type Parts = Readonly<{
  /** Completes the sentence "name is …". */
  phrase: string
  accepts: (value: unknown) => boolean
  json: (definitions: Definitions) => JsonSchema
  /** Reads a query parameter. A text that does not fit stays a text, and the check refuses it. */
  read?: (text: string) => unknown
  /** A query parameter may occur several times. */
  isList?: boolean
  isOptional?: boolean
  /** One sentence for descriptions and help. */
  about?: string
  /** The sentence for a value that is missing. */
  missing?: string
  /** The values, if the schema lists them. */
  choices?: readonly string[]
}>

export class Schema<out T, out IsOptional extends boolean = false> {
  /** Only for the compiler. */
  declare readonly type: T
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isOptional(): IsOptional {
    return (this.#parts.isOptional === true) as IsOptional
  }

  get isList(): boolean {
    return this.#parts.isList === true
  }

  get about(): string {
    return this.#parts.about ?? ''
  }

  get phrase(): string {
    return this.#parts.phrase
  }

  get choices(): readonly string[] | undefined {
    return this.#parts.choices
  }

  #with<U = T, O extends boolean = IsOptional>(parts: Partial<Parts>): Schema<U, O> {
    return new Schema<U, O>({ ...this.#parts, ...parts })
  }

  /** The same, described. */
  says(about: string): Schema<T, IsOptional> {
    return this.#with({ about, json: (definitions) => ({ ...this.json(definitions), description: about }) })
  }

  optional(): Schema<T, true> {
    return this.#with<T, true>({ isOptional: true })
  }

  /** The same with a sentence for a value that is missing. */
  orMissing(missing: string): Schema<T, IsOptional> {
    return this.#with({ missing })
  }

  /** The same with a narrower static type, for texts and objects whose grammar the engine checks. */
  as<U extends T>(): Schema<U, IsOptional> {
    return this.#with<U>({})
  }

  /** The same, but only this much is checked here: the engine checks the rest, with sentences of its own. */
  checkedAs(phrase: string, accepts: (value: unknown) => boolean): Schema<T, IsOptional> {
    return this.#with({ phrase, accepts })
  }

  /** The same under a name: a description has it once, and refers to it. */
  named(name: string): Schema<T, IsOptional> {
    return this.#with({
      json: (definitions) => {
        definitions[name] ??= this.json(definitions)
        return { $ref: `#/components/schemas/${name}` }
      },
    })
  }

  accepts(value: unknown): value is T {
    return this.#parts.accepts(value)
  }

  /** Refuses a value that does not fit, by the name of its field. */
  check(value: unknown, name: string): void {
    const { isOptional, missing, phrase } = this.#parts
    if (value === undefined && isOptional === true) return
    if (value === undefined && missing !== undefined) throw invalid(name, missing)
    if (!this.accepts(value)) throw invalid(name, `${name} is ${phrase}, not ${describe(value)}.`)
  }

  /** The value of a query parameter. */
  read(text: string): unknown {
    return this.#parts.read === undefined ? text : this.#parts.read(text)
  }

  json(definitions: Definitions): JsonSchema {
    return this.#parts.json(definitions)
  }
}

export type Shape = Readonly<Record<string, Schema<unknown, boolean>>>

export type TypeOf<S> = S extends Schema<infer T, boolean> ? T : never

/** The object that a shape describes. An intersection keeps the comments of its fields in declaration files. */
export type ObjectOf<S extends Shape> = {
  readonly [K in keyof S as S[K] extends Schema<unknown, true> ? never : K]: TypeOf<S[K]>
} & {
  readonly [K in keyof S as S[K] extends Schema<unknown, true> ? K : never]?: TypeOf<S[K]>
}

type Flat<T> = { [K in keyof T]: T[K] }

/** The same as input: a field that may be missing may also be undefined. */
export type InputObject<S extends Shape> = Flat<
  { readonly [K in keyof S as S[K] extends Schema<unknown, true> ? never : K]: TypeOf<S[K]> } & {
    readonly [K in keyof S as S[K] extends Schema<unknown, true> ? K : never]?: TypeOf<S[K]> | undefined
  }
>

const asNumber = (text: string): unknown => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)
const asFlag = (text: string): unknown => (text === 'true' || text === '' ? true : text === 'false' ? false : text)
const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A text that is not empty. */
export const text: Schema<string> = new Schema({
  phrase: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
  json: () => ({ type: 'string', minLength: 1 }),
})

export const string: Schema<string> = new Schema({
  phrase: 'a text',
  accepts: (value) => typeof value === 'string',
  json: () => ({ type: 'string' }),
})

export const flag: Schema<boolean> = new Schema({
  phrase: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  json: () => ({ type: 'boolean' }),
  read: asFlag,
})

export const number: Schema<number> = new Schema({
  phrase: 'a number',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value),
  json: () => ({ type: 'number' }),
  read: asNumber,
})

/** A whole number. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`
  return new Schema({
    phrase: `a whole number ${range}`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    json: () => ({ type: 'integer', minimum: least, maximum: most }),
    read: asNumber,
  })
}

export function oneOf<const T extends string>(choices: readonly T[]): Schema<T> {
  return new Schema<T>({
    phrase: `one of ${choices.join(', ')}`,
    accepts: (value) => choices.some((choice) => choice === value),
    json: () => ({ type: 'string', enum: choices }),
    choices,
  })
}

export function literal<const T extends string | true | null>(wanted: T): Schema<T> {
  const phrase = JSON.stringify(wanted)
  return new Schema<T>({
    phrase,
    accepts: (value) => value === wanted,
    json: () => (wanted === null ? { type: 'null' } : { const: wanted }),
  })
}

/** Any JSON value. */
export const json: Schema<JsonValue> = new Schema({
  phrase: 'a JSON value',
  accepts: (value) => value !== undefined,
  json: () => ({}),
  read: asJson,
})

/** Any JSON object. */
export const dict: Schema<JsonObject> = new Schema({
  phrase: 'an object',
  accepts: isRecord,
  json: () => ({ type: 'object' }),
  read: asJson,
})

export function nullable<T>(of: Schema<T>): Schema<T | null> {
  return union(of, literal(null))
}

export function list<T>(of: Schema<T>, phrase: string = 'a list'): Schema<readonly T[]> {
  return new Schema<readonly T[]>({
    phrase,
    accepts: (value) => Array.isArray(value) && value.every((each) => of.accepts(each)),
    json: (definitions) => ({ type: 'array', items: of.json(definitions) }),
    read: asJson,
  })
}

/** A list of texts; in a query string the parameter occurs once for each. */
export const texts: Schema<readonly string[]> = new Schema({
  phrase: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  json: () => ({ type: 'array', items: { type: 'string' } }),
  isList: true,
})

/** A value for each of some names; for any names, if none are listed. */
export function record<T, const K extends string = string>(
  of: Schema<T>,
  names?: readonly K[],
): Schema<Readonly<string extends K ? Record<string, T> : Partial<Record<K, T>>>> {
  const isName = (name: string): boolean => names === undefined || names.some((each) => each === name)
  return new Schema({
    phrase: 'an object',
    accepts: (value) =>
      isRecord(value) && Object.entries(value).every(([name, each]) => isName(name) && of.accepts(each)),
    json: (definitions) => ({
      type: 'object',
      ...(names === undefined ? {} : { propertyNames: { enum: names } }),
      additionalProperties: of.json(definitions),
    }),
  })
}

/** An object with these fields, and no others unless `isOpen`. */
export function object<const S extends Shape>(shape: S, isOpen = false): Schema<ObjectOf<S>> {
  const entries = Object.entries(shape)
  return new Schema<ObjectOf<S>>({
    phrase: 'an object',
    accepts: (value) =>
      isRecord(value) &&
      (isOpen || Object.keys(value).every((name) => Object.hasOwn(shape, name))) &&
      entries.every(([name, field]) => (Object.hasOwn(value, name) ? field.accepts(value[name]) : field.isOptional)),
    json: (definitions) => ({ ...objectJson(shape, definitions), additionalProperties: isOpen }),
  })
}

/** The JSON Schema of an object; fields in `needed` are required whatever the shape says. */
export function objectJson(shape: Shape, definitions: Definitions, needed: readonly string[] = []): JsonSchema {
  const entries = Object.entries(shape)
  const required = entries.filter(([name, field]) => !field.isOptional || needed.includes(name)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.json(definitions)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

export function union<T, U>(a: Schema<T>, b: Schema<U>, phrase: string = 'one of two shapes'): Schema<T | U> {
  return new Schema<T | U>({
    phrase,
    accepts: (value) => a.accepts(value) || b.accepts(value),
    json: (definitions) => ({ anyOf: [a.json(definitions), b.json(definitions)] }),
    isList: a.isList || b.isList,
  })
}

/** Refuses input that is no object, has an unknown name, or a value that does not fit its field. */
export function checkInput<S extends Shape>(shape: S, input: unknown): InputObject<S> {
  const names = Object.keys(shape)
  if (!isRecord(input)) {
    throw invalid('input', `The input is an object with ${names.join(', ')}, not ${describe(input)}.`)
  }
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(shape, name)) {
      throw invalid(name, `There is no ${describe(name)} here; there are ${names.join(', ')}.`)
    }
  }
  for (const [name, field] of Object.entries(shape)) field.check(input[name], name)
  return input as InputObject<S>
}
