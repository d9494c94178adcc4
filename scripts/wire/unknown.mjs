// Finds the parts of a client's type that a table of ours does not know. The type is a schema; the table is asked with values of that type.

/** @typedef {import('./types.mjs').Schema} Schema */
/** @typedef {Record<string, unknown>} Value */
/** @typedef {(value: any) => any} Put makes a whole value of one at a place in it */

/**
 * The kinds, keys and words of a schema that are not known, as addresses such as `tool_result.content.image.source`. Nothing is said about what
 * lies below an unknown one.
 *
 * @param {Schema} schema
 * @param {(value: any) => boolean} isKnown
 * @returns {string[]}
 */
export function unknownIn(schema, isKnown) {
  const { $defs = {} } = schema
  /** @type {Set<string>} */
  const found = new Set()
  look(schema, (value) => value, [], [])
  return [...found].sort()

  /**
   * @param {Schema} given
   * @param {Put} put
   * @param {readonly string[]} path
   * @param {readonly string[]} within the definitions that this one is in
   * @returns {void}
   */
  function look(given, put, path, within) {
    if (given.$ref !== undefined && within.includes(given.$ref)) return
    const inside = given.$ref === undefined ? within : [...within, given.$ref]
    const type = resolved(given)
    if (isNothing(type)) return
    if (type.anyOf !== undefined) {
      const members = membersOf(type)
      for (const member of members) {
        const label = members.length > 1 ? kindOf(resolved(member)) : undefined
        look(member, put, label === undefined ? path : [...path, label], inside)
      }
      return
    }
    if (type.enum !== undefined) {
      for (const word of type.enum) if (!isKnown(put(word))) found.add([...path, String(word)].join('.'))
      return
    }
    const value = completed(sample(type, []), type, put)
    if (value === undefined) {
      // Any other word that an open list takes is no news.
      if (path.length > 0) found.add(path.join('.'))
      return
    }
    if (type.items !== undefined) look(type.items, (item) => put([item]), path, inside)
    for (const [name, each] of Object.entries(type.properties ?? {}))
      look(each, (inner) => put({ .../** @type {Value} */ (value), [name]: inner }), [...path, name], inside)
  }

  /**
   * A known value like this one: with other members of unions in it, or with up to two optional keys more; undefined if there is none.
   *
   * @param {unknown} value
   * @param {Schema} type
   * @param {Put} put
   * @returns {unknown}
   */
  function completed(value, type, put) {
    if (isKnown(put(value))) return value
    if (type.type !== 'object') return undefined
    const own = /** @type {Value} */ (value)
    const properties = Object.entries(type.properties ?? {})
    for (const [name, each] of properties) {
      if (!Object.hasOwn(own, name)) continue
      for (const member of membersOf(each)) {
        const whole = completed(sample(member, []), resolved(member), (given) => put({ ...own, [name]: given }))
        if (whole !== undefined) return { ...own, [name]: whole }
      }
    }
    const more = properties.flatMap(([name, each]) =>
      Object.hasOwn(own, name) || isNothing(resolved(each)) ? [] : [{ [name]: sample(each, []) }],
    )
    const pairs = more.flatMap((one, at) => more.slice(at + 1).map((other) => ({ ...one, ...other })))
    const keys = [...more, ...pairs].find((each) => isKnown(put({ ...own, ...each })))
    return keys && { ...own, ...keys }
  }

  /**
   * @param {Schema} given
   * @returns {readonly Schema[]}
   */
  function membersOf(given) {
    const { anyOf = [given] } = resolved(given)
    return anyOf.filter((member) => !isNothing(resolved(member)))
  }

  /**
   * The smallest value of a type.
   *
   * @param {Schema} given
   * @param {readonly (string | undefined)[]} within
   * @returns {unknown}
   */
  function sample(given, within) {
    const type = resolved(given)
    if (type.const !== undefined) return type.const
    if (type.enum !== undefined) return type.enum[0]
    if (type.anyOf !== undefined) {
      const first = membersOf(type).find((member) => !within.includes(member.$ref))
      return first === undefined ? null : sample(first, [...within, first.$ref])
    }
    if (type.bytes === true) return new Uint8Array([1])
    if (type.type === 'array') return []
    if (type.type === 'object') {
      const { required = [], properties = {} } = type
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, within)]))
    }
    return type.type === undefined ? {} : SIMPLE[type.type]
  }

  /**
   * @param {Schema} given
   * @returns {Schema}
   */
  function resolved(given) {
    return given.$ref === undefined ? given : resolved($defs[given.$ref.slice('#/$defs/'.length)] ?? {})
  }

  /**
   * A kind names itself by its type, or by its only key.
   *
   * @param {Schema} kind
   * @returns {string | undefined}
   */
  function kindOf({ properties = {}, required = [], const: word }) {
    const type = properties['type'] === undefined ? undefined : resolved(properties['type'])
    const name = type?.const ?? type?.enum?.[0] ?? (required.length === 1 ? required[0] : word)
    return name === undefined ? undefined : String(name)
  }
}

/** @type {Readonly<Record<string, unknown>>} */
const SIMPLE = { string: 'x', number: 1, boolean: true, null: null }

/**
 * A reply says null for what it does not have; `not` is a key that a type excludes.
 *
 * @param {Schema} type
 */
function isNothing({ type, not }) {
  return type === 'null' || not !== undefined
}
