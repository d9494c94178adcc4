// An edit as data: the arguments of a call as a plain JSON value. The calls of a context make these; files and requests contain them
// directly. The shapes are defined here; the values are checked by the same code that checks a call.

import { describe, invalid, isRecord, type PactError, suggestNames } from '../errors/index.js'
import { LIMITS, type CompactedNode, type ContentInput, type CutNode, type Zone } from '../core/index.js'
import type { NodeToCompact } from './compact.js'
import type { DeleteOptions } from './delete.js'
import type { Changes, Header, NodeSpec, Replacement } from './header.js'
import type { Position } from './position.js'
import type { RedactOptions } from './redact.js'
import type { Redacted } from './redacted.js'
import type { ShedResult } from './shed.js'

/** A header without the fields that the call decides itself. */
export type RoleHeader = Omit<Header, 'role'>

/** The header of a summary, whose kind and place are decided. */
export type SummaryHeader = Omit<Header, 'kind' | 'key' | 'offset' | 'cad' | 'removable'>

/** The general form of a new node: where it goes, and with `children` a container. */
export type AddHeader = Header & Readonly<{ zone?: Zone | undefined; children?: readonly NodeSpec[] | undefined }>

/** A node to insert: its header next to its content. */
export type InsertSpec = NodeSpec & Readonly<{ zone?: Zone | undefined }>

/** For `redact` as data: a text, no regular expression; or, as a context lists it, the replacements that were made. */
export type RedactData =
  | (Omit<RedactOptions, 'match'> & Readonly<{ match: string; replaced?: undefined }>)
  | (Omit<RedactOptions, 'match' | 'with'> &
      Readonly<{ match?: undefined; with?: undefined; replaced: readonly Redacted[] }>)

/** The fields that a context adds when it lists an operation; replaying reads them, applying does not. */
type Told = Readonly<{
  /** The ids that it gave out, in order. */
  made?: readonly string[] | undefined
  /** With the first one: the ids that the cycle began with, of nodes that returned (D28). */
  opened?: readonly string[] | undefined
}>

/** The calls that `ctx.system` has too are made there with this. */
type Where = Readonly<{ region?: 'system' | undefined }>

type Add = Readonly<
  | { op: 'user' | 'assistant' | 'tool'; content: ContentInput; header?: RoleHeader | undefined; region?: undefined }
  | { op: 'pre' | 'post'; content: ContentInput; header?: Header | undefined; region?: undefined }
  | (Where & { op: 'add'; content?: ContentInput | undefined; header?: AddHeader | undefined })
  | (Where & {
      op: 'put' | 'set'
      key: string
      content?: ContentInput | undefined
      header?: Omit<AddHeader, 'key'> | undefined
    })
>

type Change = Where &
  Readonly<
    | { op: 'insert'; spec: InsertSpec; position: Position }
    | { op: 'replace'; selector: string; spec: Replacement }
    | { op: 'move'; selector: string; position: Position }
    | { op: 'delete'; selector: string; options?: DeleteOptions | undefined }
    | { op: 'update'; selector: string; changes: Changes }
  >

/** Lines in place of the contents of tool results, and the content again. */
type Shed = Readonly<
  { op: 'shed'; results: readonly ShedResult[]; region?: undefined } | { op: 'unshed'; id: string; region?: undefined }
>

/** The nodes that a request of the open turn left out for a limit: the next commit takes them. */
type Prune = Readonly<{ op: 'prune'; nodes: readonly CutNode[]; region?: undefined }>

/** One summary in the place of nodes, and the nodes again; `nodes` of `expand` are the originals, as a context lists them. */
type Compact = Readonly<
  | {
      op: 'compact'
      nodes: readonly NodeToCompact[]
      content: ContentInput
      header?: SummaryHeader | undefined
      region?: undefined
    }
  | { op: 'expand'; id: string; nodes?: readonly CompactedNode[] | undefined; region?: undefined }
>

type Redact<Options> = Where & Readonly<{ op: 'redact'; selector: string; options: Options }>

/** One edit as a JSON value: `op` is a call of `Context`, the other fields are its arguments by name. */
export type Operation = Told & (Add | Change | Shed | Prune | Compact | Redact<RedactData>)

/** An edit as a call makes it, which may contain a regular expression. */
export type Edit = Add | Change | Shed | Prune | Compact | Redact<RedactOptions | RedactData>

type Fields = Readonly<{ needs: readonly string[]; takes: readonly string[] }>

const TOLD: readonly string[] = ['made', 'opened']

function fields(needs: readonly string[], takes: readonly string[] = []): Fields {
  return { needs, takes }
}

const FIELDS: ReadonlyMap<string, Fields> = new Map([
  ['user', fields(['content'], ['header'])],
  ['assistant', fields(['content'], ['header'])],
  ['tool', fields(['content'], ['header'])],
  ['pre', fields(['content'], ['header'])],
  ['post', fields(['content'], ['header'])],
  ['add', fields([], ['content', 'header', 'region'])],
  ['put', fields(['key'], ['content', 'header', 'region'])],
  ['set', fields(['key'], ['content', 'header', 'region'])],
  ['insert', fields(['spec', 'position'], ['region'])],
  ['replace', fields(['selector', 'spec'], ['region'])],
  ['move', fields(['selector', 'position'], ['region'])],
  ['delete', fields(['selector'], ['options', 'region'])],
  ['redact', fields(['selector', 'options'], ['region'])],
  ['update', fields(['selector', 'changes'], ['region'])],
  ['shed', fields(['results'])],
  ['unshed', fields(['id'])],
  ['prune', fields(['nodes'])],
  ['compact', fields(['nodes', 'content'], ['header'])],
  ['expand', fields(['id'], ['nodes'])],
])

/** Reads an operation from outside, each field once: which call it is and that it has that call's fields. */
export function readOperation(value: unknown): Edit & Told {
  if (!isRecord(value)) {
    throw invalid(
      'operation',
      `An operation is an object such as { op: 'user', content: 'Hi' }, not ${describe(value)}.`,
    )
  }
  const given: Readonly<Record<string, unknown>> = { ...value }
  const { op } = given
  const known = typeof op === 'string' ? FIELDS.get(op) : undefined
  if (known === undefined) throw unknownOp(op)
  const names = [...known.needs, ...known.takes, ...TOLD]
  for (const name of Object.keys(given)) {
    if (name !== 'op' && given[name] !== undefined && !names.includes(name))
      throw unknownField(op as string, name, names)
  }
  const missing = known.needs.find((name) => given[name] === undefined)
  if (missing !== undefined) throw invalid(missing, `The operation ${op as string} needs the field "${missing}".`)
  if (given['region'] !== undefined && given['region'] !== 'system') {
    throw invalid('region', `The region of an operation is 'system' or not given, not ${describe(given['region'])}.`)
  }
  for (const name of TOLD) checkIds(given[name], name)
  if (op === 'redact') checkMatch(given['options'])
  return given as Edit & Told
}

/** Only a call can take a regular expression (D54). */
function checkMatch(options: unknown): void {
  const match = typeof options === 'object' && options !== null && 'match' in options ? options.match : undefined
  if (typeof match !== 'object') return
  throw invalid('match', 'The match of a redact operation is a text; a regular expression is for ctx.redact().')
}

function checkIds(ids: unknown, name: string): void {
  if (ids === undefined || (Array.isArray(ids) && ids.length <= LIMITS.items && Array.from(ids).every(isText))) return
  throw invalid(name, `${name} is a list of ids, as operations() gives it; leave it out.`)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function unknownOp(op: unknown): PactError {
  const known = [...FIELDS.keys()]
  const near = typeof op === 'string' ? suggestNames(op, known) : undefined
  const advice = near === undefined ? `there are ${known.join(', ')}.` : `did you mean "${near}"?`
  const message = op === undefined ? 'An operation says in op which call it is' : `${describe(op)} is no operation`
  return invalid('op', `${message}; ${advice}`)
}

function unknownField(op: string, name: string, known: readonly string[]): PactError {
  if (name === 'region') {
    return invalid(name, `ctx.system has no ${op}(); use add with "region": "system" and a header with the role.`)
  }
  const near = suggestNames(name, known)
  const advice = near === undefined ? `it has ${known.join(', ')}.` : `did you mean "${near}"?`
  return invalid(name, `The operation ${op} has no field ${describe(name)}; ${advice}`)
}
