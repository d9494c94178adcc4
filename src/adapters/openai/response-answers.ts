// Answers to calls of tools that OpenAI describes itself, a shell, a patch, a computer, made of results that were written by hand.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { isImage, urlOf } from '../conversation/media.js'
import type { Output, ResultPart } from '../conversation/neutral.js'
import { isObject, textOf } from '../conversation/plain-json.js'

/** The keys of the answer to a call of this kind; undefined if the kind has no form for such a result. */
export function madeAnswer(kind: string, call: JsonObject, result: ResultPart): JsonObject | undefined {
  const { output, isError } = result
  switch (kind) {
    case 'shell_call':
      return shellAnswer(call, output, isError)
    case 'local_shell_call':
      return keysOf('output', textIn(output))
    case 'apply_patch_call': {
      const text = textIn(output)
      return text === undefined ? undefined : { status: isError ? 'failed' : 'completed', output: text }
    }
    case 'computer_call':
      return keysOf('output', screenshotIn(output))
    case 'tool_search_call':
      return output.kind === 'json' && Array.isArray(output.value) ? { tools: output.value } : undefined
    default:
      return undefined
  }
}

function keysOf(key: string, value: JsonValue | undefined): JsonObject | undefined {
  return value === undefined ? undefined : { [key]: value }
}

/** The output of a shell: a text, or an object with `stdout`, `stderr` and `exit_code`. */
function shellAnswer({ action }: JsonObject, output: Output, isError: boolean): JsonObject | undefined {
  const said = output.kind === 'json' && isObject(output.value) ? output.value : {}
  const { stdout, stderr, exit_code: code = isError ? 1 : 0 } = said
  const isShell = typeof stdout === 'string' || typeof stderr === 'string'
  const text = isShell ? '' : textIn(output)
  if (text === undefined || !Number.isInteger(code)) return undefined
  const [out, err] = isShell ? [stdout ?? '', stderr ?? ''] : isError ? ['', text] : [text, '']
  const most = isObject(action) ? action['max_output_length'] : undefined
  return {
    output: [{ stdout: out, stderr: err, outcome: { type: 'exit', exit_code: code } }],
    ...(typeof most === 'number' ? { max_output_length: most } : {}),
  }
}

/** The text of an output; undefined if it has more than text. */
function textIn(output: Output): string | undefined {
  if (output.kind !== 'parts') return output.kind === 'text' ? output.text : textOf(output.value)
  const texts = output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  return texts.length === output.parts.length ? texts.join('\n') : undefined
}

/** The picture of an output, or the address of one. */
function screenshotIn(output: Output): JsonObject | undefined {
  const picture =
    output.kind === 'parts' ? output.parts.find((part) => part.kind === 'media' && isImage(part)) : undefined
  const url =
    picture?.kind === 'media'
      ? urlOf(picture)
      : output.kind === 'text' && /^(?:data:image\/|https?:\/\/)\S+$/.test(output.text)
        ? output.text
        : undefined
  return url === undefined ? undefined : { type: 'computer_screenshot', image_url: url }
}
