// docs/cli.md: the help of every command, as it is printed.

import { programOf } from './program.js'
import type { CommandSpec } from './spec.js'

export function helpDocument(specs: readonly CommandSpec[]): string {
  const program = programOf(specs, '', () => undefined)
  const shown = specs.filter(({ group }) => group !== '')
  const parts = [
    '# `pctx`',
    'You need this page to look at contexts, or to change them, from a terminal or a script.',
    fenced(FIRST, 'sh'),
    INTRODUCTION,
    fenced(program.helpInformation()),
    ...shown.map(({ name }) => {
      const command = program.commands.find((each) => each.name() === name)
      return `## ${name}\n\n${fenced(helpOf(command))}`
    }),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The commands that most readers look for. */
const FIRST = `pctx open session.jsonl                                # look at a session in the browser; nothing is stored
pctx cost session.jsonl                                # what it cost, and what broke the prompt cache
pctx import chat.json                                  # a recorded conversation becomes a context
pctx log chat                                          # what each commit changed, and why
pctx tokens chat --select "[kind='result']" --limit 5  # the largest tool results
pctx explain chat block:1-1                            # why a node is there, and when it leaves`

const INTRODUCTION = `[Ten questions](ten-questions.md) has the command for each thing that goes wrong. For all commands:

- **The store** is \`--store\`, else \`PACT_STORE\`, else \`sqlite:.pact/contexts.db\` in the current folder.
- **One editing command is one commit**, so a ttl counts commands. \`pctx apply\` takes many operations as one commit.
- **Output**: on a terminal tables, colours and a pager; in a pipe plain lines with tabs between fields. Control characters in contents are escaped, except that \`thread\` and
  \`export\`, and \`render\` into a pipe, write exactly their bytes.
- **Exit status**: 0 done; 1 refused, damaged or different; 2 wrong usage, or the store or a file cannot be read; 130 ended by Ctrl-C, which leaves nothing half done.
- **Errors** with \`--json\` are \`{ "error": { code, message, details } }\` on standard error.

The rest of this page is the help of the program, written by \`node scripts/cli-docs.mjs\`. A test compares the two, and runs every example.`

function fenced(text: string, language = 'text'): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}

/** With the text after the options, which helpInformation leaves out. */
function helpOf(command: ReturnType<typeof programOf> | undefined): string {
  let text = ''
  command?.configureOutput({ writeOut: (piece) => (text += piece) })
  command?.outputHelp()
  return text
}
