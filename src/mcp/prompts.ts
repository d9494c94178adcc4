// Prompts: three questions that people ask about a context, as instructions that name the tools. They quote nothing that is stored.

import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'

import { invalid, describe } from '../errors/index.js'
import { UNCHECKED } from './unchecked.js'

type Prompt = Readonly<{ title: string; about: string; args: Readonly<Record<string, string>>; says: Says }>
type Says = (given: Readonly<Record<string, string>>) => string

const CONTEXT = 'The id of a context.'

const PROMPTS: Readonly<Record<string, Prompt>> = {
  'what-changed': {
    title: 'What changed?',
    about: 'Sums up the changes of a context since a cycle.',
    args: { context: CONTEXT, since: 'A cycle, such as 12.' },
    says: ({ context, since }) =>
      `Call the tool diff with id ${quoted(context)}, a "@c${since}", b "@t0" and detailed true. Say in a few sentences what came, what left and why (the causes), and what was edited. Quote ids.`,
  },
  audit: {
    title: 'What is in this context, and should it be?',
    about: 'Looks for what is large, stale, or should not be in a context.',
    args: { context: CONTEXT },
    says: ({ context }) =>
      `Look at the context ${quoted(context)}: tokens with by "node" for what is large, select with ".block[role='tool']" for results, explain for nodes that surprise you. List what could be dropped or shed, what looks like a secret, and what will leave by itself. Change nothing.`,
  },
  'continue-from': {
    title: 'Continue from here',
    about: 'Reads a context so that its work can go on.',
    args: { context: CONTEXT, lens: 'The snapshot to continue from, such as @t0 or @c12.' },
    says: ({ context, lens }) =>
      `Read the thread of ${quoted(context)} at ${quoted(lens)}. Where a result was shed, or a summary stands for messages, call recall if you need the original. Then say what the task is, what is done, and what comes next.`,
  },
}

export function addPrompts(server: McpServer): void {
  for (const [name, { title, about, args, says }] of Object.entries(PROMPTS)) {
    const properties = Object.fromEntries(
      Object.entries(args).map(([arg, description]) => [arg, { type: 'string', description }]),
    )
    const argsSchema = fromJsonSchema<Record<string, string>>(
      { type: 'object', properties, required: Object.keys(args) },
      UNCHECKED,
    )
    server.registerPrompt(name, { title, description: about, argsSchema }, (given) => {
      for (const arg of Object.keys(args)) {
        if (typeof given[arg] !== 'string') throw invalid(arg, `${arg} is a text, not ${describe(given[arg])}.`)
      }
      return { messages: [{ role: 'user', content: { type: 'text', text: says(given) } }] }
    })
  }
}

function quoted(text: string | undefined): string {
  return JSON.stringify(text ?? '')
}
