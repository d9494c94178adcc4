// The AI SDK as a judge of its own model messages: its schema, and its code between a call of `generateText` or
// `streamText` and the model.

import { generateText, modelMessageSchema, streamText, type ModelMessage, type SystemModelMessage } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'

type Given = Readonly<{ system?: unknown; messages: unknown }>
type Asked = {
  system?: string | SystemModelMessage[]
  messages: ModelMessage[]
  allowSystemInMessages: boolean
  maxRetries: number
}
type Prompt = MockLanguageModelV3['doGenerateCalls'][number]['prompt']

export type SdkJudgement = Readonly<{
  errors: readonly string[]
  /** The prompt of the model, after the SDK's own repairs; absent where it refused. */
  prompt?: Prompt
}>

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const END = { finishReason: { unified: 'stop', raw: 'stop' }, usage: USAGE } as const

export async function judgeWithAiSdk(given: Given): Promise<SdkJudgement> {
  const generated = await tried(async (model) => {
    await generateText({ model, ...request(given) })
    return model.doGenerateCalls[0]?.prompt
  })
  const streamed = await tried(async (model) => {
    const faults: unknown[] = []
    const result = streamText({ model, ...request(given), onError: ({ error }) => void faults.push(error) })
    await result.consumeStream()
    if (faults.length > 0) throw faults[0]
    return model.doStreamCalls[0]?.prompt
  })
  const errors = [...schemaErrors(given.messages), ...generated.errors, ...streamed.errors]
  return generated.prompt === undefined ? { errors } : { errors, prompt: generated.prompt }
}

function schemaErrors(messages: unknown): readonly string[] {
  if (!Array.isArray(messages)) return ['messages is no list']
  return messages.flatMap((message: unknown, at) => {
    const checked = modelMessageSchema.safeParse(message)
    return checked.success ? [] : [`messages[${at}]: ${checked.error.message}`]
  })
}

function request({ system, messages }: Given): Asked {
  const asked = { messages: messages as ModelMessage[], allowSystemInMessages: true, maxRetries: 0 }
  return system === undefined ? asked : { ...asked, system: system as string }
}

async function tried(run: (model: MockLanguageModelV3) => Promise<Prompt | undefined>): Promise<SdkJudgement> {
  const model = new MockLanguageModelV3({
    supportedUrls: { '*/*': [/.*/] },
    doGenerate: { content: [{ type: 'text', text: 'Yes.' }], ...END, warnings: [] },
    doStream: () =>
      Promise.resolve({
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Yes.' },
          { type: 'text-end', id: '1' },
          { type: 'finish', ...END },
        ]),
      }),
  })
  try {
    const prompt = await run(model)
    return prompt === undefined ? { errors: ['the model was not asked'] } : { errors: [], prompt }
  } catch (error) {
    return { errors: [String(error)] }
  }
}
