// What a type token asks (D14): the six canonical names test the class, so that user types stay reachable.

import type { Dialect, NodeClass, NodeRecord } from '../../core/index.js'
import type { Shape } from '../../timeline/index.js'
import { NOWHERE, type Positions } from '../search/pattern.js'
import type { Spot } from '../match/flat-tree.js'

const CLASSES: ReadonlyMap<string, readonly NodeClass[]> = new Map([
  ['seg', ['seg']],
  ['mt', ['seg']],
  ['cont', ['core', 'cont']],
  ['mc', ['core', 'cont']],
  ['block', ['block']],
  ['cb', ['block']],
])

/** Whether a token is one of the names of containers, which a virtual core answers to. */
export function isContainerName(name: string): boolean {
  return name === 'cont' || name === 'mc'
}

/** What a token asks for: in 1.0 `.anything:x` is `.x`. */
export function shortName(name: string, dialect: Dialect): string {
  if (dialect === '0.1') return name
  const colon = name.lastIndexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

/** The test behind `.name`. */
export function typeTest(name: string, dialect: Dialect): (spot: Spot) => boolean {
  const wanted = shortName(name, dialect)
  const classes = CLASSES.get(wanted)
  if (classes !== undefined) {
    return (spot) => (spot.record === undefined ? isContainerName(wanted) : classes.includes(spot.record.nodeClass))
  }
  return nameTest(wanted, dialect)
}

/** Whether one of some names would be met in 1.0; asks each node once, however many names there are. */
export function anyTypeTest(wanted: readonly string[]): (spot: Spot) => boolean {
  const all = new Set(wanted)
  if (all.size <= 1) return all.size === 0 ? () => false : typeTest(wanted[0]!, '1.0')
  const classes = new Set(wanted.flatMap((name) => CLASSES.get(name) ?? []))
  const meetsVirtual = wanted.some(isContainerName)
  const others: ReadonlySet<string> = new Set(wanted.filter((name) => !CLASSES.has(name)))
  return ({ record }) => {
    if (record === undefined) return meetsVirtual
    return classes.has(record.nodeClass) || (others.size > 0 && hasName(record, others))
  }
}

/** The test behind a name that is none of the six. */
export function nameTest(wanted: string, dialect: Dialect): (spot: Spot) => boolean {
  if (dialect === '0.1') return (spot) => spot.record?.nodeType === wanted
  return (spot) => spot.record !== undefined && isNamed(spot.record, wanted)
}

/** 1.0: the name is the type, its part after the last colon, the `type` attribute, or a dotted part of one of these. */
function isNamed({ nodeType, rare }: NodeRecord, wanted: string): boolean {
  if (namesOf(nodeType).has(wanted)) return true
  const type = rare?.attributes?.get('type')
  return typeof type === 'string' && partsOf(type).includes(wanted)
}

function hasName({ nodeType, rare }: NodeRecord, wanted: ReadonlySet<string>): boolean {
  for (const name of namesOf(nodeType)) if (wanted.has(name)) return true
  const type = rare?.attributes?.get('type')
  return typeof type === 'string' && partsOf(type).some((part) => wanted.has(part))
}

/** The names of types; contexts have a few dozen types, and short ones. */
const names = new Map<string, ReadonlySet<string>>()
const MAX_TYPES = 8192
const MAX_LENGTH = 64

function namesOf(nodeType: string): ReadonlySet<string> {
  let known = names.get(nodeType)
  if (known === undefined) {
    known = new Set([...partsOf(nodeType), ...partsOf(nodeType.slice(nodeType.lastIndexOf(':') + 1))])
    if (names.size >= MAX_TYPES) names.clear()
    if (nodeType.length <= MAX_LENGTH) names.set(nodeType, known)
  }
  return known
}

function partsOf(name: string): readonly string[] {
  return name.includes('.') ? [name, ...name.split('.')] : [name]
}

/** Where in units of a shape the nodes stand that answer to a name in 1.0: what the tests above would find one by one. */
export function positionsOfName(shape: Shape, name: string): Positions {
  return (shape.names ??= findNames(shape)).get(name) ?? NOWHERE
}

function findNames({ records }: Shape): ReadonlyMap<string, Positions> {
  const found = new Map<string, number[]>()
  for (const [position, record] of records.entries()) {
    for (const name of namesOfRecord(record)) {
      const positions = found.get(name)
      if (positions === undefined) found.set(name, [position])
      else positions.push(position)
    }
  }
  return found
}

function namesOfRecord({ nodeClass, nodeType, rare }: NodeRecord): ReadonlySet<string> {
  const type = rare?.attributes?.get('type')
  const own = [...namesOf(nodeType), ...(typeof type === 'string' ? partsOf(type) : [])]
  const ofClass = [...CLASSES.keys()].filter((name) => CLASSES.get(name)!.includes(nodeClass))
  return new Set([...ofClass, ...own.filter((name) => !CLASSES.has(name))])
}
