// Schedules in the documents' form (D28, D35): a list by key, each with the node that it makes.

import {
  className,
  classOfType,
  LIMITS,
  Schedules,
  COMPACTED,
  SHED,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type RareHeaders,
  type Schedule,
  type Template,
  type Zone,
} from '../core/index.js'
import { pathTo } from './canonical-json.js'
import {
  decodeOwn,
  engineNameFault,
  integerAt,
  isEngineName,
  positiveAt,
  optionalTextAt,
  restOf,
} from './decode-headers.js'
import { addOptional, EMPTIED, encodeFields, ERASED, STANDS_FOR } from './document.js'
import { withJsonForm } from './json-form.js'
import { fault, listAt, nodeAt, objectAt, type Raw, type RawNode, type RawObject } from './raw.js'

/** The fields of a schedule; other names are ignored. */
const SCHEDULE_NAMES: ReadonlySet<string> = new Set(['key', 'cad', 'first_cycle', 'zone', 'offset', 'node'])

/** The depth of the parent of a returning node once it is sealed in a core. */
const PARENT_DEPTH = 4

/** The canonical text, written node by node like a tree: what a template holds may be as deep as one. */
export function encodeSchedules(schedules: Schedules): string {
  const texts = Array.from(schedules, encodeSchedule)
  return `[${texts.join(',')}]`
}

export function encodeSchedule({ key, cad, firstCycle, zone, offset, node }: Schedule): string {
  const fields: Field[] = [
    ['key', key],
    ['cad', cad],
    ['first_cycle', firstCycle],
    ['zone', zone],
  ]
  if (offset !== undefined) fields.push(['offset', offset])
  const { key: _key, cad: _cad, ...rare } = node.rare ?? {}
  return encodeFields(fields, [['node', encodeTemplate({ ...node, offset: undefined, rare })]])
}

function encodeTemplate(template: Template): string {
  const fields = fieldsOfTemplate(template)
  if (template.nodeClass === 'block') return encodeFields(fields, [])
  return encodeFields(fields, [['children', `[${template.children.map(encodeTemplate).join(',')}]`]])
}

type Field = readonly [string, JsonValue]

function fieldsOfTemplate(template: Template): Field[] {
  const { nodeType, ttl, priority, offset } = template
  const fields: Field[] = [
    ['nodeType', nodeType],
    ['ttl', ttl],
    ['priority', priority],
  ]
  if (offset !== undefined) fields.push(['offset', offset])
  addOptional(fields, template)
  return fields
}

export function schedulesToJson(schedules: Schedules): readonly JsonObject[] {
  return Array.from(schedules, scheduleToJson)
}

export function scheduleToJson({ key, cad, firstCycle, zone, offset, node }: Schedule): JsonObject {
  const { key: _key, cad: _cad, ...rest } = templateToJson({ ...node, offset: undefined })
  const place = offset === undefined ? {} : { offset }
  return Object.freeze({ key, cad, first_cycle: firstCycle, zone, ...place, node: Object.freeze(withJsonForm(rest)) })
}

function templateToJson(template: Template): JsonObject {
  const fields = fieldsOfTemplate(template)
  if (template.nodeClass === 'cont') fields.push(['children', Object.freeze(template.children.map(templateToJson))])
  return Object.freeze(withJsonForm(Object.fromEntries(fields)))
}

/** Reads what an export wrote; a fault names the place in the file. */
export function decodeSchedules(document: RawObject, cycle: number, dialect: Dialect): Schedules {
  const given = document.own('schedules')
  const list = given === undefined ? [] : Array.from(listAt(document, 'schedules', given))
  const schedules = new Map<string, Schedule>()
  for (const [i, each] of list.entries()) {
    const raw = objectAt(each, `schedules[${i}]`)
    const schedule = decodeSchedule(raw, cycle, dialect)
    if (schedules.has(schedule.key)) throw fault(`${raw.path}.key`, `The key "${schedule.key}" has two schedules.`)
    schedules.set(schedule.key, schedule)
  }
  return Schedules.of(schedules.values())
}

/** One schedule, as of the snapshot of a cycle. */
export function decodeSchedule(raw: RawObject, cycle: number, dialect: Dialect): Schedule {
  for (const name of restOf(raw, SCHEDULE_NAMES).keys()) {
    if (isEngineName(name)) throw engineNameFault(pathTo(raw.path, name))
  }
  const key = optionalTextAt(raw, 'key', raw.own('key'))
  if (key === undefined) throw fault(`${raw.path}.key`, 'A schedule needs a key.')
  const every = raw.own('cad')
  if (every === undefined) throw fault(`${raw.path}.cad`, 'A schedule needs a cadence, a positive integer.')
  const cad = positiveAt(raw, 'cad', every)
  const firstCycle = integerAt(raw, 'first_cycle', raw.own('first_cycle'), cycle)
  if (firstCycle > cycle)
    throw fault(`${raw.path}.first_cycle`, `The first cycle lies behind the snapshot's, ${cycle}.`)
  const zone = zoneAt(raw)
  const offset = offsetAt(raw, raw.own('offset'))
  const isOutside = offset !== undefined && ((zone === 'pre' && offset >= 0) || (zone === 'post' && offset <= 0))
  if (isOutside) throw fault(`${raw.path}.offset`, `Zone '${zone}' cannot have offset ${offset}.`)
  const node = decodeTemplate(nodeAt(raw.own('node'), `${raw.path}.node`), dialect, LIMITS.depth - PARENT_DEPTH)
  return { key, cad, firstCycle, zone, offset, node: { ...node, offset: undefined, rare: { ...node.rare, key, cad } } }
}

function decodeTemplate(raw: RawNode, dialect: Dialect, depth: number): Template {
  if (depth < 1) throw fault(raw.path, `The tree is deeper than ${LIMITS.depth} nodes here, or holds itself.`)
  const { children: given } = raw
  const nodeType = optionalTextAt(raw, 'nodeType', raw.nodeType)
  const named = nodeType === undefined ? undefined : classOfType(nodeType)
  const nodeClass = named ?? (given === undefined ? 'block' : 'cont')
  if (nodeClass === 'seg' || nodeType === '' || nodeType?.startsWith('^') === true) {
    throw fault(`${raw.path}.nodeType`, 'Only blocks and containers return.')
  }
  const printed = given === undefined ? [] : listAt(raw, 'children', given)
  if (nodeClass === 'block' && printed.length > 0) {
    throw fault(`${raw.path}.children`, 'This is a block and cannot hold children.')
  }
  if (raw.rare?.supersedes !== undefined) {
    throw fault(`${raw.path}.supersedes`, 'What returns is a new node and supersedes none.')
  }
  if (raw.rare?.removable === true && nodeClass === 'block') {
    throw fault(`${raw.path}.removable`, 'Only a container can be removable.')
  }
  const { ttl, priority, role, kind, content, rare } = decodeOwn(raw)
  if (rare?.standsFor !== undefined) {
    throw fault(pathTo(raw.path, STANDS_FOR), 'What returns is a new node and stands in for none.')
  }
  if (rare?.attributes?.has(ERASED) === true) {
    throw fault(pathTo(raw.path, ERASED), 'What returns is a new node, of which nothing was erased.')
  }
  if (rare?.attributes?.has(EMPTIED) === true) {
    throw fault(pathTo(raw.path, EMPTIED), 'What returns is a new node, which nothing has emptied yet.')
  }
  if (rare?.attributes?.has(SHED) === true) {
    throw fault(pathTo(raw.path, SHED), 'What returns is a new node, of which nothing was shed.')
  }
  if (rare?.attributes?.has(COMPACTED) === true) {
    throw fault(pathTo(raw.path, COMPACTED), 'What returns is a new node, which stands for no others.')
  }
  return {
    nodeClass,
    nodeType: nodeType ?? className(dialect, nodeClass),
    offset: offsetAt(raw, raw.offset),
    ttl,
    priority,
    role,
    kind,
    content,
    rare: headersOfTemplate(rare),
    // Array.from: a hole must be met, not skipped.
    children: Array.from(printed, (child, i) => {
      const below = raw.child(child, i)
      if (below.rare?.cad !== undefined) {
        throw fault(`${below.path}.cad`, 'A child returns with its container and has no cadence of its own.')
      }
      return decodeTemplate(below, dialect, depth - 1)
    }),
  }
}

/** The headers of a new node: all but the spelling of its time. */
function headersOfTemplate(rare: RareHeaders | undefined): RareHeaders | undefined {
  if (rare === undefined) return undefined
  const { createdAtIso: _createdAtIso, ...headers } = rare
  return Object.keys(headers).length === 0 ? undefined : headers
}

function offsetAt(raw: Raw, value: unknown): number | undefined {
  return value === undefined ? undefined : integerAt(raw, 'offset', value, 0)
}

function zoneAt(raw: RawObject): Zone {
  const zone = optionalTextAt(raw, 'zone', raw.own('zone'))
  if (zone === 'pre' || zone === 'core' || zone === 'post') return zone
  throw fault(`${raw.path}.zone`, "A zone is 'pre', 'core' or 'post'.")
}
