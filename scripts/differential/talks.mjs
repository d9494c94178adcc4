// Conversations and replies in the five formats of providers, odd ones among them.

import { json, objectOf, text } from './values.mjs'

/** @typedef {import('./random.mjs').Random} Random */

export const FORMATS = ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'ai-sdk']

const NAMES = ['look_up', 'read-file', 'x', 'look up', 'n'.repeat(64)]

/** A conversation before it is in any format. @param {Random} r */
function talk(r) {
  let calls = 0
  const recur = r.chance(30)
  const word = () => text(r) || 'x'
  const step = () => {
    if (recur) calls = 0
    return {
      thought: r.chance(40) ? word() : undefined,
      says: r.chance(50) ? word() : undefined,
      calls: Array.from({ length: r.between(1, 3) }, () => ({
        id: `call_${++calls}`,
        name: r.pick(NAMES),
        input: objectOf(r.list(2, () => [r.pick(['q', 'n', '__proto__']), plain(r)])),
        result: r.chance(15) ? '' : word(),
        failed: r.chance(15),
      })),
      reversed: r.chance(15),
    }
  }
  return {
    system: r.list(2, word),
    lists: r.chance(50),
    ids: r.chance(60),
    turns: Array.from({ length: r.between(1, 3) }, () => ({
      asks: Array.from({ length: r.between(1, 2) }, () => r.weigh({ text: 6, image: 1, link: 1 })).map((kind) => ({
        kind,
        text: word(),
      })),
      remark: r.chance(10) ? word() : undefined,
      steps: r.list(2, step),
      answer: r.chance(80) ? word() : undefined,
    })),
  }
}

/** JSON without whole numbers that JSON.stringify refuses. */
function plain(r) {
  const value = json(r, 1)
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)))
}

/** A conversation in this format; about a third has something odd in it. @param {Random} r @param {string} format */
export function conversation(r, format) {
  const given = talk(r)
  const { list, ...rest } = WRITERS[format](given)
  const messages = r.chance(65) ? list : oddly(r, list)
  const names = { gemini: 'contents', 'openai-responses': 'input' }
  return { ...rest, [names[format] ?? 'messages']: messages }
}

function oddly(r, list) {
  const at = r.below(list.length)
  const message = list[at]
  const parts = Array.isArray(message.content) ? 'content' : Array.isArray(message.parts) ? 'parts' : undefined
  return r.pick([
    () => list.toSpliced(at, 1),
    () => list.toSpliced(at, 0, message),
    () => [...list.slice(1), list[0]],
    () => list.slice(at),
    () => list.slice(0, at + 1),
    () => list.with(at, { ...message, content: null }),
    () => list.with(at, { ...message, content: '' }),
    () => list.with(at, { ...message, role: 'critic' }),
    () => list.with(at, { ...message, annotations: { usage: [1] } }),
    () => list.with(at, objectOf([...Object.entries(message), ['__proto__', { role: 'system' }]])),
    () =>
      list.with(
        at,
        parts === undefined ? message : { ...message, [parts]: [...message[parts], { type: 'hologram', depth: 3 }] },
      ),
    () => list.with(at, parts === undefined ? message : { ...message, [parts]: message[parts].slice(1) }),
    () => list.with(at, JSON.parse(JSON.stringify(message).replace(/"call_\d"/, '"call_9"'))),
  ])()
}

const WRITERS = {
  'openai-chat': ({ system, lists, turns }) => {
    const texts = (text) => (lists ? [{ type: 'text', text }] : text)
    const part = (ask) =>
      ask.kind === 'text'
        ? { type: 'text', text: ask.text }
        : {
            type: 'image_url',
            image_url: {
              url: ask.kind === 'image' ? 'data:image/png;base64,iVBORw0KGgo=' : 'https://example.org/a.png',
            },
          }
    const list = system.map((text, at) => ({ role: at === 0 ? 'system' : 'developer', content: texts(text) }))
    for (const { asks, remark, steps, answer } of turns) {
      list.push({
        role: 'user',
        content: asks.length === 1 && asks[0].kind === 'text' ? texts(asks[0].text) : asks.map(part),
      })
      if (remark !== undefined) list.push({ role: 'system', content: remark })
      for (const step of steps) {
        const thought = step.thought === undefined ? {} : { reasoning_details: [{ text: step.thought }] }
        const tool_calls = step.calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        }))
        list.push({
          role: 'assistant',
          content: step.says === undefined ? null : texts(step.says),
          ...thought,
          tool_calls,
        })
        for (const { id, result } of resultsOf(step)) list.push({ role: 'tool', tool_call_id: id, content: result })
      }
      if (answer !== undefined) list.push({ role: 'assistant', content: texts(answer) })
    }
    return { list }
  },
  anthropic: ({ system, lists, turns }) => {
    const block = (ask) =>
      ask.kind === 'text'
        ? { type: 'text', text: ask.text }
        : {
            type: 'image',
            source:
              ask.kind === 'link'
                ? { type: 'url', url: 'https://example.org/a.png' }
                : { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
          }
    const list = []
    for (const { asks, steps, answer } of turns) {
      list.push({
        role: 'user',
        content: asks.length === 1 && asks[0].kind === 'text' && !lists ? asks[0].text : asks.map(block),
      })
      for (const step of steps) {
        list.push({
          role: 'assistant',
          content: [
            ...(step.thought === undefined
              ? []
              : [{ type: 'thinking', thinking: step.thought, signature: 'c2lnbmVk' }]),
            ...(step.says === undefined ? [] : [{ type: 'text', text: step.says }]),
            ...step.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
          ],
        })
        const results = resultsOf(step).map(({ id, result, failed }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: lists && result !== '' ? [{ type: 'text', text: result }] : result,
          ...(failed ? { is_error: true } : {}),
        }))
        list.push({ role: 'user', content: results })
      }
      if (answer !== undefined)
        list.push({ role: 'assistant', content: lists ? [{ type: 'text', text: answer }] : answer })
    }
    return system.length === 0
      ? { list }
      : { system: lists ? system.map((text) => ({ type: 'text', text })) : system.join('\n\n'), list }
  },
  'openai-responses': ({ system, lists, ids, turns }) => {
    let items = 0
    const part = (ask) =>
      ask.kind === 'text'
        ? { type: 'input_text', text: ask.text }
        : { type: 'input_image', detail: 'auto', image_url: 'https://example.org/a.png' }
    const said = (text) =>
      lists
        ? {
            type: 'message',
            role: 'assistant',
            ...(ids ? { id: `msg_${++items}`, status: 'completed' } : {}),
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : { role: 'assistant', content: text }
    const list = []
    for (const { asks, remark, steps, answer } of turns) {
      list.push({
        role: 'user',
        content: asks.length === 1 && asks[0].kind === 'text' && !lists ? asks[0].text : asks.map(part),
      })
      if (remark !== undefined) list.push({ type: 'message', role: 'system', content: remark })
      for (const step of steps) {
        if (step.thought !== undefined)
          list.push({
            type: 'reasoning',
            id: `rs_${++items}`,
            summary: [{ type: 'summary_text', text: step.thought }],
            encrypted_content: 'c2VjcmV0',
          })
        if (step.says !== undefined) list.push(said(step.says))
        for (const { id, name, input } of step.calls)
          list.push({
            type: 'function_call',
            ...(ids ? { id: `fc_${++items}` } : {}),
            call_id: id,
            name,
            arguments: JSON.stringify(input),
          })
        for (const { id, result } of resultsOf(step))
          list.push({
            type: 'function_call_output',
            call_id: id,
            output: lists ? [{ type: 'input_text', text: result }] : result,
          })
      }
      if (answer !== undefined) list.push(said(answer))
    }
    return system.length === 0 ? { list } : { instructions: system.join('\n\n'), list }
  },
  gemini: ({ system, lists, ids, turns }) => {
    const part = (ask) =>
      ask.kind === 'text'
        ? { text: ask.text }
        : ask.kind === 'link'
          ? { fileData: { fileUri: 'https://example.org/a.png', mimeType: 'image/png' } }
          : { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
    const idOf = ({ id }) => (ids ? { id } : {})
    const list = []
    for (const { asks, steps, answer } of turns) {
      list.push({ ...(lists ? { role: 'user' } : {}), parts: asks.map(part) })
      for (const step of steps) {
        const signed = step.thought === undefined ? {} : { thoughtSignature: 'c2lnbmVk' }
        list.push({
          role: 'model',
          parts: [
            ...(step.thought === undefined ? [] : [{ text: step.thought, thought: true }]),
            ...(step.says === undefined ? [] : [{ text: step.says }]),
            ...step.calls.map((call, at) => ({
              functionCall: { ...idOf(call), name: call.name, args: call.input },
              ...(at === 0 ? signed : {}),
            })),
          ],
        })
        list.push({
          role: 'user',
          parts: resultsOf(step).map((call) => ({
            functionResponse: {
              ...idOf(call),
              name: call.name,
              response: call.failed ? { error: call.result } : { output: call.result },
            },
          })),
        })
      }
      if (answer !== undefined) list.push({ role: 'model', parts: [{ text: answer }] })
    }
    return system.length === 0
      ? { list }
      : { systemInstruction: { role: 'user', parts: system.map((text) => ({ text })) }, list }
  },
  'ai-sdk': ({ system, lists, turns }) => {
    const part = (ask) =>
      ask.kind === 'text'
        ? { type: 'text', text: ask.text }
        : ask.kind === 'link'
          ? { type: 'image', image: new URL('https://example.org/a.png') }
          : { type: 'file', data: Uint8Array.of(1, 2, 3), mediaType: 'image/png' }
    const list = []
    for (const { asks, remark, steps, answer } of turns) {
      list.push({
        role: 'user',
        content: asks.length === 1 && asks[0].kind === 'text' && !lists ? asks[0].text : asks.map(part),
      })
      if (remark !== undefined) list.push({ role: 'system', content: remark })
      for (const step of steps) {
        list.push({
          role: 'assistant',
          content: [
            ...(step.thought === undefined
              ? []
              : [{ type: 'reasoning', text: step.thought, providerOptions: { anthropic: { signature: 'c2lnbmVk' } } }]),
            ...(step.says === undefined ? [] : [{ type: 'text', text: step.says }]),
            ...step.calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
          ],
        })
        const results = resultsOf(step).map(({ id, name, result, failed }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          output: { type: failed ? 'error-text' : 'text', value: result },
        }))
        if (lists) list.push({ role: 'tool', content: results })
        else for (const result of results) list.push({ role: 'tool', content: [result] })
      }
      if (answer !== undefined) list.push({ role: 'assistant', content: answer })
    }
    return system.length === 0 ? { list } : { system: system.join('\n\n'), list }
  },
}

function resultsOf({ calls, reversed }) {
  return reversed ? calls.toReversed() : calls
}

/** A model's reply in this format, with up to two calls. @param {Random} r @param {string} format */
export function reply(r, format) {
  const says = text(r) || 'x'
  const thought = r.chance(40) ? text(r) || 'hm' : undefined
  const calls = r.list(2, () => ({ id: `r_${r.below(6)}`, name: r.pick(NAMES), input: objectOf([['q', plain(r)]]) }))
  const made = REPLIES[format]({ says, thought, calls })
  return r.chance(6) ? r.pick([{}, null, 'text', { choices: [] }, { content: 5 }, { output: [{}] }]) : made
}

const REPLIES = {
  anthropic: ({ says, thought, calls }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [
      ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'c2ln' }]),
      { type: 'text', text: says },
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 3, cache_read_input_tokens: 4 },
  }),
  'openai-chat': ({ says, thought, calls }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: says,
          refusal: null,
          ...(thought === undefined ? {} : { reasoning_content: thought }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
        },
      },
    ],
    usage: { prompt_tokens: 120, completion_tokens: 3 },
  }),
  'openai-responses': ({ says, thought, calls }) => ({
    id: 'resp_1',
    object: 'response',
    output: [
      ...(thought === undefined
        ? []
        : [
            {
              type: 'reasoning',
              id: 'rs_1',
              summary: [{ type: 'summary_text', text: thought }],
              encrypted_content: 'x',
            },
          ]),
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: says, annotations: [] }],
      },
      ...calls.map(({ id, name, input }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: 'completed',
      })),
    ],
    usage: { input_tokens: 5, output_tokens: 6 },
  }),
  gemini: ({ says, thought, calls }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
            { text: says },
            ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2 },
  }),
  'ai-sdk': ({ says, thought, calls }) => ({
    response: {
      messages: [
        {
          role: 'assistant',
          content: [
            ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought }]),
            { type: 'text', text: says },
            ...calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
          ],
        },
      ],
    },
    usage: { inputTokens: 5, outputTokens: 2 },
  }),
}
