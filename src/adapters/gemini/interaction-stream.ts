// The events of a streamed interaction, put together into the interaction that a call without streaming gives: no client does that.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { invalid } from '../../errors/index.js'
import { checkJson } from '../conversation/check-input.js'
import { textIn } from '../conversation/part-reader.js'
import { isObject } from '../conversation/plain-json.js'
import { inputValue } from '../conversation/write-part.js'

/** The interaction of a reply; `cut` is the id of a call whose arguments did not come to an end. */
export function interactionOf(reply: unknown): Readonly<{ interaction: JsonObject; cut: string | undefined }> {
  if (Array.isArray(reply)) return joined(reply as readonly unknown[])
  if (typeof reply !== 'object' || reply === null) throw notAReply()
  const copy = checkJson(withoutHttp(reply), 'reply')
  if (!isObject(copy) || (!Array.isArray(copy['steps']) && typeof copy['status'] !== 'string')) throw notAReply()
  return { interaction: copy, cut: undefined }
}

/** The client adds its HTTP response to the interaction. */
function withoutHttp(reply: object): object {
  const { sdkHttpResponse: _http, ...interaction } = reply as Readonly<Record<string, unknown>>
  return interaction
}

function joined(events: readonly unknown[]): Readonly<{ interaction: JsonObject; cut: string | undefined }> {
  const stream = new StreamedInteraction()
  for (const event of events) {
    const copy = checkJson(event, 'reply')
    if (!isObject(copy) || typeof copy['event_type'] !== 'string') throw notAReply()
    stream.add(copy)
  }
  if (stream.isEmpty) throw notAReply()
  return stream.done()
}

/** A step under construction; its arguments come as pieces of JSON. */
type StreamedStep = { step: JsonObject; given: string | undefined; isDone: boolean }

class StreamedInteraction {
  isEmpty = true
  #about: JsonObject = {}
  readonly #steps: StreamedStep[] = []
  /** By their index in the stream. A long reply may go on in another interaction, whose indexes start again. */
  #open = new Map<JsonValue | undefined, StreamedStep>()

  add(event: JsonObject): void {
    this.isEmpty = false
    const { event_type: kind, interaction, index, step, delta, status, error, usage } = event
    if (isObject(interaction)) this.#about = { ...this.#about, ...interaction }
    if (kind === 'interaction.created') this.#open = new Map()
    else if (kind === 'interaction.status_update') this.#about = { ...this.#about, ...given({ status, usage }) }
    else if (kind === 'error') this.#about = { ...this.#about, status: 'failed', ...given({ error }) }
    else if (kind === 'step.start' && isObject(step)) this.#start(index, step)
    else if (kind === 'step.delta' && isObject(delta)) this.#extend(index, delta)
    else if (kind === 'step.stop' && this.#open.has(index)) this.#open.get(index)!.isDone = true
  }

  done(): Readonly<{ interaction: JsonObject; cut: string | undefined }> {
    const steps = this.#steps.map(({ step, given: text }) => (text === undefined ? step : withArguments(step, text)))
    const half = this.#steps.find(
      ({ given: text, isDone }) => text !== undefined && (!isDone || inputValue(text) === undefined),
    )
    const id = half?.step['id']
    return {
      interaction: { ...this.#about, ...(steps.length > 0 ? { steps } : {}) },
      cut: typeof id === 'string' ? id : undefined,
    }
  }

  #start(index: JsonValue | undefined, step: JsonObject): void {
    const made: StreamedStep = { step, given: undefined, isDone: false }
    this.#steps.push(made)
    this.#open.set(index, made)
  }

  #extend(index: JsonValue | undefined, delta: JsonObject): void {
    const at = this.#open.get(index)
    if (at === undefined) return
    const { type, ...more } = delta
    const { step } = at
    if (type === 'arguments_delta') at.given = (at.given ?? '') + (textIn(more['arguments']) ?? '')
    else if (type === 'text') at.step = withText(step, 'content', more['text'])
    else if (type === 'thought_summary') at.step = withSummary(step, more['content'])
    else if (type === 'thought_signature') at.step = { ...step, ...given({ signature: more['signature'] }) }
    else if (type === 'text_annotation_delta') at.step = withAnnotations(step, more['annotations'])
    else if (step['type'] === 'model_output') at.step = { ...step, content: [...listIn(step['content']), delta] }
    else at.step = extended(step, more)
  }
}

/** The keys that have a value. */
function given(keys: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(keys).filter(([, value]) => value !== undefined && value !== null),
  ) as JsonObject
}

/** Texts in a row are pieces of one. */
function withText(step: JsonObject, key: 'content' | 'summary', text: JsonValue | undefined): JsonObject {
  const list = listIn(step[key])
  const last = list.at(-1)
  const isText = isObject(last) && last['type'] === 'text' && typeof last['text'] === 'string'
  const said = typeof text === 'string' ? text : ''
  const next = isText ? { ...last, text: `${last['text'] as string}${said}` } : { type: 'text', text: said }
  return { ...step, [key]: [...(isText ? list.slice(0, -1) : list), next] }
}

function withSummary(step: JsonObject, content: JsonValue | undefined): JsonObject {
  if (!isObject(content)) return step
  if (content['type'] === 'text') return withText(step, 'summary', content['text'])
  return { ...step, summary: [...listIn(step['summary']), content] }
}

/** Annotations belong to the last text. */
function withAnnotations(step: JsonObject, annotations: JsonValue | undefined): JsonObject {
  const { content } = withText(step, 'content', '')
  const list = listIn(content)
  const last = list.at(-1) as JsonObject
  const all = [...listIn(last['annotations']), ...listIn(annotations)]
  return { ...step, content: [...list.slice(0, -1), { ...last, annotations: all }] }
}

/** A step of one of the provider's tools with more of what it was given or has found. */
function extended(step: JsonObject, more: JsonObject): JsonObject {
  const made: Record<string, JsonValue> = { ...step }
  for (const [key, value] of Object.entries(more)) {
    const before = made[key]
    if (Array.isArray(before) && Array.isArray(value))
      made[key] = [...(before as JsonValue[]), ...(value as JsonValue[])]
    else if (isObject(before) && isObject(value)) made[key] = { ...before, ...value }
    else if (key === 'result' && typeof before === 'string' && typeof value === 'string') made[key] = before + value
    else made[key] = value
  }
  return made
}

function withArguments(step: JsonObject, text: string): JsonObject {
  return { ...step, arguments: inputValue(text) ?? step['arguments'] ?? {} }
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : []
}

function notAReply(): Error {
  return invalid(
    'reply',
    'The reply is an interaction as interactions.create gives it, { id, status, steps }, or the list of all events of a streamed one.',
  )
}
