// docs/cli.md: the help of every command, as it is printed.

import { programOf } from './program.js'
import type { CommandSpec } from './spec.js'

export function helpDocument(specs: readonly CommandSpec[]): string {
  const program = programOf(specs, '', () => undefined)
  const shown = specs.filter(({ group }) => group !== '')
  const parts = [
    '# `pctx`',
    'You need this page to look at contexts, or to change them, from a terminal or a script.',
    '```sh\npctx import chat.json   # a recorded conversation becomes a context\npctx log chat           # what each commit changed, and why\n```',
    `Made from the help of the program by \`node scripts/cli-docs.mjs\`; a test compares the two, and runs every example.`,
    INTRODUCTION,
    fenced(program.helpInformation()),
    ...shown.map(({ name }) => {
      const command = program.commands.find((each) => each.name() === name)
      return `## ${name}\n\n${fenced(helpOf(command))}`
    }),
  ]
  return `${parts.join('\n\n')}\n`
}

const INTRODUCTION = `The store is \`--store\`, else \`PACT_STORE\`, else \`sqlite:.pact/contexts.db\` in the current folder. There is no staging: an editing
command is one commit, so a ttl counts commands; \`pctx apply\` takes many operations as one. Exit status: 0 done; 1 refused, damaged or
different; 2 wrong usage, or the store or a file cannot be read; 130 ended by Ctrl-C, which leaves nothing half done. An error with \`--json\` is \`{ "error": { code, message, details } }\` on
standard error. On a terminal there are tables, colours and a pager; in a pipe plain lines, fields between tabs. What contents hold that could
steer a terminal is spelled out; \`thread\` and \`export\` write exactly their bytes, \`render\` into a pipe too.`

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``
}

/** With the text after the options, which helpInformation leaves out. */
function helpOf(command: ReturnType<typeof programOf> | undefined): string {
  let text = ''
  command?.configureOutput({ writeOut: (piece) => (text += piece) })
  command?.outputHelp()
  return text
}
