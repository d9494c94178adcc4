// An agent that runs until it is killed: a scripted model and a tool, with its session in a store. What was acknowledged is printed, line by line.
// node test/support/agent-run.mjs ADDRESS NAME

import { Agent, run, tool, Usage } from '@openai/agents-core'

import { createSession } from '../../dist/openai-agents/index.js'
import { openStore } from '../../dist/store/index.js'

const [address = '', name = ''] = process.argv.slice(2)

/** Asks for one call of the tool, then answers with what it gave. @type {import('@openai/agents-core').Model} */
const model = {
  getResponse: async ({ input }) => {
    const last = typeof input === 'string' ? undefined : input.at(-1)
    const usage = new Usage()
    if (last?.type === 'function_call_result') {
      const text = `answer to ${last.callId}`
      return {
        usage,
        output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }],
      }
    }
    const said = last !== undefined && 'content' in last ? JSON.stringify(last.content) : ''
    return {
      usage,
      output: [{ type: 'function_call', callId: `call ${said}`, name: 'note', arguments: '{}', status: 'completed' }],
    }
  },
  getStreamedResponse: () => {
    throw new Error('Nobody streams here.')
  },
}
const note = tool({
  name: 'note',
  description: 'Notes.',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: () => 'noted',
})
const agent = new Agent({ name: 'Notary', model, tools: [note] })
const store = await openStore(address, { durability: 'relaxed' })
const session = createSession(store, 'shared')
for (let turn = 0; turn < 10_000; turn++) {
  const input = `${name} ${turn}`
  await run(agent, input, { session })
  process.stdout.write(`${input}\n`)
}
