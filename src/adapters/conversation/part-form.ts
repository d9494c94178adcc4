// One part as a format writes it: as it came, where it came in this format and still is what it was, else made of what all formats share.

import type { NodeRecord } from '../../core/index.js'
import { isAsThought } from './names.js'
import type { CallPart, MediaPart, OutputPart, Part, ResultPart } from './neutral.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { RequestWriter } from './request-writer.js'
import { heldPart, NOT_ITS_OWN } from './write-part.js'

export type PartForm<Role extends string> = Readonly<{
  format: string
  /** The provider, as repairs call it. */
  who: string
  /** The keys of a text before its others. */
  first?: Readonly<Record<string, string>>
  /** A part that came in this format, as the client takes it. */
  plain?(value: PlainObject): PlainObject
  /** The same in a message of this role, with the id and the name of its call; undefined if the provider would refuse it. */
  own(held: PlainObject, part: Part, role: Role, out: RequestWriter): PlainObject | undefined
  text(text: string): PlainObject
  call(part: CallPart, out: RequestWriter): PlainObject
  result(part: ResultPart, out: RequestWriter): PlainObject
  media(part: MediaPart, role: Role): PlainObject | undefined
  /** Reasons why the other parts are left out. */
  leavesOut: Readonly<{ media?: string; thought?: string; other: string }>
  /** True if a thought may have been changed. */
  takesAnyThought?: boolean
}>

/** The part in a message of a role; undefined where the provider cannot have it. */
export function writtenPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const made = ownPart(part, role, form, out) ?? newPart(part, role, form, out)
  return made && out.own(made, part.record)
}

function ownPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const held = heldPart(part, form.format, form.first ?? {}, out, form.plain)
  if (held === undefined || !out.repair) return held
  if (part.kind !== 'reasoning') return form.own(held, part, role, out)
  if (form.takesAnyThought !== true && !isAsThought(part.record)) return undefined
  const thought = form.own(held, part, role, out)
  return thought && out.think(thought, part.record)
}

function newPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const { leavesOut, who } = form
  switch (part.kind) {
    case 'text':
      return form.text(part.text)
    case 'call':
      return form.call(part, out)
    case 'result':
      return form.result(part, out)
    case 'media':
      return form.media(part, role) ?? out.leaveOut(part, leavesOut.media ?? leavesOut.other)
    case 'reasoning': {
      const usual = isAsThought(part.record) ? NOT_ITS_OWN : `${who} takes back no thought that was changed`
      return out.leaveOut(part, leavesOut.thought ?? usual)
    }
    case 'other':
      return out.leaveOut(part, leavesOut.other)
    case 'gone':
      return out.repair ? undefined : form.text('')
  }
}

/** The parts of a result; a part that is not written and not blank is noted. */
export function outputList(
  parts: readonly OutputPart[],
  record: NodeRecord,
  who: string,
  write: (part: OutputPart) => PlainObject | undefined,
  out: RequestWriter,
): PlainValue {
  const made = parts.map((part) => ({ part, block: write(part) }))
  if (made.some(({ part, block }) => block === undefined && part.kind !== 'text'))
    out.note('left-out', record, `A part of the result ${record.id} is left out: ${who} cannot have it in a result.`)
  return Object.freeze(made.flatMap(({ block }) => block ?? []))
}

/** System texts outside the messages, which hold text only. */
export function systemParts(
  parts: readonly Part[],
  why: string,
  write: (part: Part) => PlainObject | undefined,
  out: RequestWriter,
): readonly PlainObject[] {
  const made = parts.map((part) => (part.kind === 'text' ? write(part) : out.leaveOut(part, why)))
  return made.filter((each) => each !== undefined)
}
