// Writes JSON Schemas of the providers' request types, from the .d.ts files of their own clients, with no additional properties.
// Run it after a client's version changes: node scripts/wire-schemas.mjs

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { schemasOf } from './wire/types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'test/support/providers/schemas')

/** The request of each format, as a type of its client. `Pick` leaves out what no conversation holds: models, tools, sampling. */
const ROOTS = {
  anthropic: {
    client: '@anthropic-ai/sdk',
    from: '@anthropic-ai/sdk/resources/messages/messages.js',
    type: `Pick<sdk.MessageCreateParamsNonStreaming, 'messages' | 'system' | 'cache_control'>`,
  },
  'anthropic-beta': {
    client: '@anthropic-ai/sdk',
    from: '@anthropic-ai/sdk/resources/beta/messages/messages.js',
    type: `Pick<sdk.MessageCreateParamsNonStreaming, 'messages' | 'system' | 'cache_control' | 'container'>`,
  },
  'openai-chat': {
    client: 'openai',
    from: 'openai/resources/chat/completions/completions.js',
    type: `Pick<sdk.ChatCompletionCreateParamsNonStreaming, 'messages' | 'prompt_cache_key' | 'prompt_cache_options'>`,
  },
  'openai-responses': {
    client: 'openai',
    from: 'openai/resources/responses/responses.js',
    // The API takes what an assistant said also without id, status and annotations, as recorded requests have it; the client's types do not.
    type: `Pick<sdk.ResponseCreateParamsNonStreaming, 'instructions' | 'conversation' | 'previous_response_id' | 'prompt_cache_key' | 'prompt_cache_options'> & {
      input: string | (sdk.ResponseInputItem | AssistantMessage)[]
    }
    type Said = sdk.ResponseOutputRefusal | (Omit<sdk.ResponseOutputText, 'annotations'> & Partial<Pick<sdk.ResponseOutputText, 'annotations'>>)
    type AssistantMessage = Omit<sdk.ResponseOutputMessage, 'id' | 'status' | 'type' | 'content'> &
      Partial<Pick<sdk.ResponseOutputMessage, 'id' | 'status' | 'type'>> & { content: Said[] }`,
  },
  gemini: {
    client: '@google/genai',
    from: '@google/genai',
    type: `{ contents: sdk.Content[]; systemInstruction?: sdk.Content }`,
  },
  'gemini-interactions': {
    client: '@google/genai',
    from: '@google/genai',
    type: `Pick<sdk.Interactions.CreateModelInteractionParamsNonStreaming, 'input' | 'system_instruction' | 'previous_interaction_id'>`,
  },
  mistral: {
    client: '@mistralai/mistralai',
    from: '@mistralai/mistralai/models/components',
    type: `Pick<sdk.ChatCompletionRequest, 'messages'>`,
  },
  bedrock: {
    client: '@aws-sdk/client-bedrock-runtime',
    from: '@aws-sdk/client-bedrock-runtime',
    type: `Pick<sdk.ConverseCommandInput, 'messages' | 'system'>`,
  },
}

const sources = Object.entries(ROOTS).map(([name, { from, type }]) => {
  return [name, `import type * as sdk from '${from}'\nexport type Request = ${type}\n`]
})

mkdirSync(folder, { recursive: true })
for (const [name, schema] of Object.entries(schemasOf(Object.fromEntries(sources), folder))) {
  const { client } = ROOTS[name]
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', client, 'package.json'), 'utf8'))
  const text = `${JSON.stringify({ $comment: `${client} ${version}`, ...schema })}\n`
  writeFileSync(join(folder, `${name}.json`), text)
  console.log(`${name}: ${text.length} bytes`)
}
