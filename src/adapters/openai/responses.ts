// The OpenAI Responses API: requests into contexts, and back.

import {
  ADAPTER,
  type AnyContext,
  type Context,
  type ContextOptions,
  type Received,
  type Snapshot,
} from '../../context/index.js'
import type { JsonObject } from '../../core/index.js'
import { asCall } from '../../errors/index.js'
import { RENDERER, type HasRenderer } from '../../thread/index.js'
import { Adapter } from '../conversation/adapter.js'
import { checkJson, checkMessages, checkRequest } from '../conversation/check-input.js'
import { importMessages, type MessageSpec } from '../conversation/import-messages.js'
import { receiveReply, type ReplyOptions } from '../conversation/receive.js'
import { RESPONSES_FORMAT, type OpenAIResponsesOptions } from './response-format.js'
import { readResponsesReply } from './response-reply.js'
import { besideSpecs, inputSpec, itemSpecs } from './response-specs.js'
import type { OpenAIResponsesRequest } from './response-types.js'

/** A request as `fromOpenAIResponses` takes it; other keys are not looked at. */
export type OpenAIResponsesInput = Readonly<{
  instructions?: string | null | undefined
  input: string | readonly object[]
  previous_response_id?: string | null | undefined
  conversation?: string | object | null | undefined
}>

const adapter = new Adapter(RESPONSES_FORMAT, ['store'])

/**
 * A context with the items of a Responses request, committed turn by turn. `previous_response_id` and `conversation` stand in
 * `^sys`, in the attribute `data_request` of a container that says nothing else.
 */
export const fromOpenAIResponses: (request: OpenAIResponsesInput, options?: ContextOptions) => Context = Object.assign(
  function fromOpenAIResponses(request: OpenAIResponsesInput, options?: ContextOptions): Context {
    return asCall(fromOpenAIResponses, () => importMessages(specsOf(checkRequest(request, '{ input: […] }')), options))
  },
  { [ADAPTER]: { receive: receiveOpenAIResponses } },
)

/** Takes the output of a response into the open turn; gives the calls that it asks for. */
export function receiveOpenAIResponses(ctx: AnyContext, reply: object, options?: ReplyOptions): Received {
  return asCall(receiveOpenAIResponses, () => receiveReply(ctx, readResponsesReply(reply), options))
}

function specsOf({ instructions, input, ...others }: Readonly<Record<string, unknown>>): readonly MessageSpec[] {
  const state: Record<string, JsonObject[string]> = {}
  for (const key of ['previous_response_id', 'conversation']) {
    if (others[key] !== undefined) state[key] = checkJson(others[key], key)
  }
  const beside = besideSpecs({
    ...(instructions === undefined ? {} : { instructions: checkJson(instructions, 'instructions') }),
    ...(Object.keys(state).length === 0 ? {} : { state }),
  })
  return [...beside, ...(typeof input === 'string' ? [inputSpec(input)] : itemSpecs(checkMessages(input, 'input')))]
}

/** The Responses request for a context or a snapshot: `client.responses.create({ model, ...toOpenAIResponses(ctx) })`. */
export const toOpenAIResponses: HasRenderer &
  ((source: AnyContext | Snapshot, options?: OpenAIResponsesOptions) => OpenAIResponsesRequest) = Object.assign(
  function toOpenAIResponses(source: AnyContext | Snapshot, options?: OpenAIResponsesOptions): OpenAIResponsesRequest {
    return asCall(toOpenAIResponses, () => adapter.request(source, options) as unknown as OpenAIResponsesRequest)
  },
  { [RENDERER]: adapter },
)
