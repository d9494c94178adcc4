// Values as text that is equal where the values are. Prose is left out: messages of errors and warnings, sentences, texts of repairs.

/** Fields that hold sentences; their number is compared. */
const PROSE = new Set(['warnings', 'outOfReach'])

/** @param {unknown} value @returns {string} */
export function show(value) {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'boolean':
      return String(value)
    case 'bigint':
      return `${value}n`
    case 'object':
      return value === null ? 'null' : showObject(value)
    default:
      return typeof value
  }
}

function showObject(value) {
  if (Array.isArray(value)) return `[${value.map(show).join(',')}]`
  if (value instanceof Uint8Array) return showBytes(value)
  if (value instanceof Map) return `map${show([...value])}`
  if (value instanceof Set) return `set${show([...value])}`
  if (value instanceof Date) return `date ${value.getTime()}`
  const names = Object.keys(value).sort()
  // A node works out its hash when it is asked for.
  if ('contentHash' in value && !Object.hasOwn(value, 'contentHash')) names.push('contentHash')
  const fields = []
  for (const name of names) {
    const field = value[name]
    if (typeof field === 'function' || (name === 'message' && typeof value.code === 'string')) continue
    const isProse = PROSE.has(name) && Array.isArray(field) && field.every((each) => typeof each === 'string')
    fields.push(`${JSON.stringify(name)}:${isProse ? field.length : show(field)}`)
  }
  return `{${fields.join(',')}}`
}

/** Bytes as they are read, if they are text; every other byte shows in one way only. */
function showBytes(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  return text.includes('\ufffd') ? `0x${buffer.toString('hex')}` : `bytes ${text}`
}

/** An error by its code and details. A fault that is no `PactError` is known by its name. */
export function showError(error) {
  if (typeof error?.code === 'string' && error.details !== undefined)
    return `error ${error.code} ${show(error.details)}`
  return `error ${error?.name ?? typeof error}`
}

/** The same objects without these fields. */
export function without(list, ...names) {
  return list.map((each) => omit(each, ...names))
}

export function omit(value, ...names) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** A request of an adapter: body, bytes and all that is known of it. */
export function requestFacts(made) {
  const { repairs, chunks, byteLength, bytes, sourceMap, breakpoints } = made
  return {
    bytes,
    byteLength,
    joined: chunks.join('').length,
    repairs: without(repairs, 'text', 'cause'),
    causes: repairs.map(({ cause }) => cause !== undefined),
    sourceMap,
    breakpoints,
    keys: Object.keys(made),
  }
}
