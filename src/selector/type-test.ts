// What a type token asks (D14): the six canonical names test the class, so that user types stay reachable.

import type { Dialect, NodeClass, NodeRecord } from '../core/index.js'
import type { Spot } from './scene.js'

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

/** The test behind a name that is none of the six. */
export function nameTest(wanted: string, dialect: Dialect): (spot: Spot) => boolean {
  if (dialect === '0.1') return (spot) => spot.record?.nodeType === wanted
  return (spot) => spot.record !== undefined && isNamed(spot.record, wanted)
}

/** 1.0: the name is the type, its part after the last colon, the `type` attribute, or a dotted part of one of these. */
function isNamed(record: NodeRecord, wanted: string): boolean {
  const { nodeType } = record
  if (nodeType === wanted || hasPart(nodeType.slice(nodeType.lastIndexOf(':') + 1), wanted)) return true
  const type = record.rare?.attributes?.get('type')
  return (nodeType.includes('.') && hasPart(nodeType, wanted)) || (typeof type === 'string' && hasPart(type, wanted))
}

function hasPart(name: string, wanted: string): boolean {
  return name === wanted || (name.includes('.') && name.split('.').includes(wanted))
}
