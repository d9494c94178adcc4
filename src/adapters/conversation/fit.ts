// The part of a value that fits the provider's type. Edits, redactions above all, change structured content, so a part that came from a
// provider may no longer be valid there. It is then written from the form that all formats share.

import type { PlainObject, PlainValue } from './plain-json.js'

/**
 * The names of keys that are dropped. With `keepsUnknown`, keys, kinds and words that the tables do not know are kept (wire.ts). `isChanged` is true
 * for a part that an edit has changed since it came.
 */
export type Dropped = Set<string> & Readonly<{ keepsUnknown?: boolean; isChanged?: boolean }>

/** Gives the value without keys that the provider does not know, whose names it adds; undefined for what does not fit at all. */
export type Fit = (value: PlainValue, dropped: Dropped) => PlainValue | undefined

export function droppedKeys(keepsUnknown: boolean, isChanged = false): Dropped {
  return Object.assign(new Set<string>(), { keepsUnknown, isChanged })
}

/** Empty, with the same rules. */
export function likeDropped({ keepsUnknown = false, isChanged = false }: Dropped): Dropped {
  return droppedKeys(keepsUnknown, isChanged)
}

/** True if the tables know all of a value and, with `looksInside`, look into all of it. */
export function isKnown(value: PlainValue, fit: Fit, looksInside = true): boolean {
  const dropped = droppedKeys(false, looksInside)
  return fit(value, dropped) !== undefined && dropped.size === 0
}

/**
 * A value that no table looks into, such as what a tool of the provider found: codes, types and ids are between the texts. It fits as it came, and
 * not once an edit has changed its part.
 */
export function asCame(fit: Fit): Fit {
  const isEmpty = (value: PlainValue): boolean => value === null || (Array.isArray(value) && value.length === 0)
  return (value, dropped) => (dropped.isChanged === true && !isEmpty(value) ? undefined : fit(value, dropped))
}

/** A kind that is known and has no place here. */
export const refused: Fit = () => undefined

export const anything: Fit = (value) => value
export const text: Fit = (value) => (typeof value === 'string' ? value : undefined)
export const number: Fit = (value) => (typeof value === 'number' ? value : undefined)
export const flag: Fit = (value) => (typeof value === 'boolean' ? value : undefined)
export const object: Fit = (value) => (isPlainObject(value) ? value : undefined)

export function matching(pattern: RegExp): Fit {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined)
}

export function oneOf(...literals: readonly string[]): Fit {
  return (value) => (literals.some((literal) => literal === value) ? value : undefined)
}

/** A word of a list that a provider may extend. */
export function wordOf(...literals: readonly string[]): Fit {
  const known = oneOf(...literals)
  return (value, dropped) => (dropped.keepsUnknown === true ? text(value, dropped) : known(value, dropped))
}

export function nullable(fit: Fit): Fit {
  return (value, dropped) => (value === null ? null : fit(value, dropped))
}

export function either(...fits: readonly Fit[]): Fit {
  return (value, dropped) => {
    for (const fit of fits) {
      const own = likeDropped(dropped)
      const fitted = fit(value, own)
      if (fitted === undefined) continue
      for (const key of own) dropped.add(key)
      return fitted
    }
    return undefined
  }
}

/** A list of which every item fits. */
export function listOf(fit: Fit): Fit {
  return (value, dropped) => {
    if (!Array.isArray(value)) return undefined
    const items = value.map((item: PlainValue) => fit(item, dropped))
    if (items.includes(undefined)) return undefined
    return items.every((item, i) => item === value[i])
      ? (value as readonly PlainValue[])
      : Object.freeze(items as PlainValue[])
  }
}

/** By the value of one key. */
export function byKind(key: string, fits: Readonly<Record<string, Fit>>): Fit {
  return (value, dropped) => {
    const kind = isPlainObject(value) ? value[key] : undefined
    if (typeof kind !== 'string') return undefined
    if (Object.hasOwn(fits, kind)) return fits[kind]!(value, dropped)
    return dropped.keepsUnknown === true ? value : undefined
  }
}

/** An object with one key, by that key: its value fits. */
export function byOnlyKey(fits: Readonly<Record<string, Fit>>): Fit {
  return (value, dropped) => {
    const [entry, ...others] = isPlainObject(value) ? Object.entries(value) : []
    if (entry === undefined || others.length > 0) return undefined
    const [key, data] = entry
    const fitted = Object.hasOwn(fits, key) ? fits[key]!(data, dropped) : dropped.keepsUnknown ? data : undefined
    return fitted === undefined || fitted === data ? fitted && value : Object.freeze({ [key]: fitted })
  }
}

/**
 * An object with all of the first keys; of others those that are known and fit, or that fit `others` if any key is allowed.
 * `spelled` gives a key as the tables spell it.
 */
export function fields(
  needed: Readonly<Record<string, Fit>>,
  optional: Readonly<Record<string, Fit>> = {},
  spelled: (key: string) => string = (key) => key,
  others?: Fit,
): Fit {
  return (value, dropped) => {
    if (!isPlainObject(value)) return undefined
    const names = new Set(Object.keys(value).map(spelled))
    if (Object.keys(needed).some((key) => !names.has(key))) return undefined
    const kept: [string, PlainValue][] = []
    const seen = new Set<string>()
    const unknown = dropped.keepsUnknown === true ? anything : undefined
    let isSame = true
    for (const [key, item] of Object.entries(value)) {
      const name = spelled(key)
      const isNeeded = Object.hasOwn(needed, name)
      const fit = isNeeded ? needed[name] : Object.hasOwn(optional, name) ? optional[name] : (others ?? unknown)
      const fitted = seen.has(name) ? undefined : fit?.(item, dropped)
      if (fitted === undefined && isNeeded && !seen.has(name)) return undefined
      seen.add(name)
      isSame &&= fitted === item
      if (fitted === undefined) dropped.add(key)
      else kept.push([key, fitted])
    }
    return isSame ? value : Object.freeze(Object.fromEntries(kept))
  }
}

/** Not a list, and nothing that is no JSON, such as bytes. */
function isPlainObject(value: PlainValue): value is PlainObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
