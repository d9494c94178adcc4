// Calls whose arguments come in pieces (`streamFunctionCallArguments`): a part with the name, parts with values at JSON paths, and a part
// that ends the call. They are put together into the one part that a reply without streaming has.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { isObject } from '../conversation/plain-json.js'

/** The parts of a reply with every streamed call in one part. `isOpen` if the last one did not end. */
export function withWholeCalls(
  parts: readonly JsonValue[],
): Readonly<{ parts: readonly JsonValue[]; isOpen: boolean }> {
  if (!parts.some(isPiece)) return { parts, isOpen: false }
  const whole: JsonValue[] = []
  let call: StreamedCall | undefined
  let at = -1
  for (const part of parts) {
    const given = callIn(part)
    // A name begins another call, except where the pieces of one repeat it.
    const isNew =
      given !== undefined && (call === undefined || (named(given) !== undefined && named(given) !== call.name))
    if (given === undefined || (isNew && !isPiece(part))) {
      whole.push(part)
      if (given !== undefined) call = undefined
      continue
    }
    if (isNew) {
      call = new StreamedCall(part as JsonObject, given)
      at = whole.push(call.part) - 1
    } else call!.add(part as JsonObject, given)
    whole[at] = call!.part
    if (!call!.goesOn) call = undefined
  }
  return { parts: whole, isOpen: call !== undefined && at === whole.length - 1 }
}

/** A call under construction. */
class StreamedCall {
  readonly name: string | undefined
  goesOn = true
  #part: JsonObject
  #call: JsonObject = {}
  readonly #args = new Map<string, Tree | JsonValue>()

  constructor(part: JsonObject, call: JsonObject) {
    this.name = named(call)
    this.#part = {}
    this.add(part, call)
  }

  add(part: JsonObject, call: JsonObject): void {
    const { functionCall: _camel, function_call: _snake, ...keys } = part
    const { args, partialArgs, partial_args, willContinue, will_continue, ...others } = call
    this.#part = { ...this.#part, ...keys }
    this.#call = { ...this.#call, ...others }
    if (isObject(args)) for (const [key, value] of Object.entries(args)) this.#args.set(key, value)
    const pieces = partialArgs ?? partial_args
    for (const piece of Array.isArray(pieces) ? (pieces as readonly JsonValue[]) : []) {
      if (isObject(piece)) put(this.#args, pathOf(piece['jsonPath'] ?? piece['json_path']), piece)
    }
    this.goesOn = (willContinue ?? will_continue) === true
  }

  get part(): JsonObject {
    return { ...this.#part, functionCall: { ...this.#call, args: valueOf(this.#args) } }
  }
}

/** Objects as maps, whose keys may have any name. */
type Tree = Map<string, Tree | JsonValue> | (Tree | JsonValue)[]

/** Puts the value of a piece at its path; texts come in pieces themselves. */
function put(tree: Tree, path: readonly (string | number)[], piece: JsonObject): void {
  const [first, ...rest] = path
  if (first === undefined) return
  // A list grows by one element after another.
  const key = Array.isArray(tree) ? Math.min(typeof first === 'number' ? first : tree.length, tree.length) : `${first}`
  const held = Array.isArray(tree) ? tree[key as number] : tree.get(key as string)
  const set = (value: Tree | JsonValue): void => {
    if (Array.isArray(tree)) tree[key as number] = value
    else tree.set(key as string, value)
  }
  if (rest.length === 0) {
    const value = valueIn(piece)
    if (value !== undefined) set(typeof held === 'string' && typeof value === 'string' ? held + value : value)
    return
  }
  const below = held instanceof Map || Array.isArray(held) ? held : typeof rest[0] === 'number' ? [] : new Map()
  set(below)
  put(below, rest, piece)
}

function valueIn(piece: JsonObject): JsonValue | undefined {
  if ('nullValue' in piece || 'null_value' in piece) return null
  for (const name of ['stringValue', 'string_value', 'numberValue', 'number_value', 'boolValue', 'bool_value']) {
    if (piece[name] !== undefined) return piece[name]
  }
  return undefined
}

/** The names and indexes of a path such as `$.rooms[0].size` or `$['two words']`. */
function pathOf(path: JsonValue | undefined): readonly (string | number)[] {
  if (typeof path !== 'string') return []
  return Array.from(path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(['"])(.*?)\3\]/g), ([, name, index, , quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  )
}

function valueOf(tree: Tree | JsonValue): JsonValue {
  if (tree instanceof Map) return Object.fromEntries(Array.from(tree, ([key, value]) => [key, valueOf(value as Tree)]))
  return Array.isArray(tree) ? tree.map((each) => valueOf(each as Tree)) : tree
}

function callIn(part: JsonValue): JsonObject | undefined {
  const call = isObject(part) ? (part['functionCall'] ?? part['function_call']) : undefined
  return isObject(call) ? call : undefined
}

function isPiece(part: JsonValue): boolean {
  const call = callIn(part)
  return (
    call !== undefined && ['partialArgs', 'partial_args', 'willContinue', 'will_continue'].some((key) => key in call)
  )
}

function named({ name }: JsonObject): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined
}
