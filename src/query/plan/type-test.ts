// Type tokens (D14). The six canonical names test the class, so that user types stay reachable.

import type { Dialect, NodeClass, NodeRecord } from '../../core/index.js'

const CLASSES: ReadonlyMap<string, readonly NodeClass[]> = new Map([
  ['seg', ['seg']],
  ['mt', ['seg']],
  ['cont', ['core', 'cont']],
  ['mc', ['core', 'cont']],
  ['block', ['block']],
  ['cb', ['block']],
])

/** True for the names of containers, which a virtual core matches too. */
export function isContainerName(name: string): boolean {
  return name === 'cont' || name === 'mc'
}

/** The name that a token tests: in 1.0 `.anything:x` is `.x`. */
export function shortName(name: string, dialect: Dialect): string {
  // Most names have no colon, and a look for the last one takes ten times as long as for any.
  return dialect === '0.1' || !name.includes(':') ? name : name.slice(name.lastIndexOf(':') + 1)
}

/** The names that test the class. */
export const CLASS_NAMES: readonly string[] = [...CLASSES.keys()]

/** A test of a type; a virtual core has no record. */
export type TypeTest = (record: NodeRecord | undefined) => boolean

/** The test behind `.name`, for a short name. */
export function typeTest(wanted: string, dialect: Dialect): TypeTest {
  const classes = CLASSES.get(wanted)
  if (classes !== undefined) {
    const [one, other = one] = classes
    return (record) => {
      return record === undefined ? isContainerName(wanted) : record.nodeClass === one || record.nodeClass === other
    }
  }
  return nameTest(wanted, dialect)
}

/** Tests several names of 1.0 at once, with one look at each node. */
export function anyTypeTest(wanted: readonly string[]): TypeTest {
  const all = new Set(wanted)
  if (all.size <= 1) return all.size === 0 ? () => false : typeTest(wanted[0]!, '1.0')
  const classes = new Set(wanted.flatMap((name) => CLASSES.get(name) ?? []))
  const meetsVirtual = wanted.some(isContainerName)
  const others: ReadonlySet<string> = new Set(wanted.filter((name) => !CLASSES.has(name)))
  return (record) => {
    if (record === undefined) return meetsVirtual
    return classes.has(record.nodeClass) || (others.size > 0 && hasName(record, others))
  }
}

/** The test behind a name that is none of the six. */
function nameTest(wanted: string, dialect: Dialect): TypeTest {
  if (dialect === '0.1') return (record) => record?.nodeType === wanted
  return (record) => record !== undefined && isNamed(record, wanted)
}

/** 1.0: the name is the type, its part after the last colon, the `type` attribute, or a dotted part of one of these. */
function isNamed({ nodeType, rare }: NodeRecord, wanted: string): boolean {
  if (isTypeName(nodeType, wanted)) return true
  const type = rare?.attributes?.get('type')
  return typeof type === 'string' && isPart(type, wanted)
}

function hasName({ nodeType, rare }: NodeRecord, wanted: ReadonlySet<string>): boolean {
  const type = rare?.attributes?.get('type')
  const names = [nodeType, afterColon(nodeType), ...(typeof type === 'string' ? [type] : [])]
  return names.some((name) => partsOf(name).some((part) => wanted.has(part)))
}

function isTypeName(nodeType: string, wanted: string): boolean {
  // Most types do not have the name in them at all.
  if (nodeType.length < wanted.length || !nodeType.includes(wanted)) return false
  return isPart(nodeType, wanted) || isPart(afterColon(nodeType), wanted)
}

function afterColon(nodeType: string): string {
  return nodeType.slice(nodeType.lastIndexOf(':') + 1)
}

function isPart(name: string, wanted: string): boolean {
  return name === wanted || (name.includes('.') && name.split('.').includes(wanted))
}

function partsOf(name: string): readonly string[] {
  return name.includes('.') ? [name, ...name.split('.')] : [name]
}
