// The commands that look after a store, and those around it.

import { field } from '../api/index.js'
import { CACHE_RULES_NAMES } from '../formats/index.js'
import { CURSOR_OPTION } from './all-pages.js'
import { fieldOption } from './field-options.js'
import { gather, time, whole } from './given.js'
import type { CommandSpec, OptionSpec } from './spec.js'
import { ID, LIMIT } from './table-look.js'

const CARE = 'Care:'
const MORE = 'More:'
export const WHO: readonly OptionSpec[] = [
  fieldOption('author', field.author, 'name'),
  fieldOption('reason', field.reason, 'text'),
]
const SHELLS = ['bash', 'zsh', 'fish']

function care(name: 'fsck' | 'replay' | 'retain' | 'erase' | 'transfer'): CommandSpec['load'] {
  return async () => (await import('./actions/care.js'))[name]
}

export const CARING: readonly CommandSpec[] = [
  {
    name: 'attempts',
    reads: true,
    group: 'Send:',
    about: 'Lists the requests to providers, and their outcome',
    arguments: [ID],
    options: [fieldOption('cycle', field.cycle, 'n'), LIMIT, CURSOR_OPTION],
    examples: [
      { line: 'pctx attempts support', about: 'all of them' },
      { line: 'pctx attempts support --limit 20 --json', about: 'the first twenty, and the cursor of the next ones' },
    ],
    load: async () => (await import('./actions/contexts.js')).attempts,
  },
  {
    name: 'fsck',
    reads: true,
    group: CARE,
    about: 'Reads and checks all rows of the store; ends with 1 if something is wrong',
    arguments: [{ ...ID, name: '[id]' }],
    options: [fieldOption('repair', field.repair)],
    examples: [
      { line: 'pctx fsck', about: 'the whole store' },
      { line: 'pctx fsck support --json', about: 'one context, for programs' },
    ],
    load: care('fsck'),
  },
  {
    name: 'replay',
    reads: true,
    group: CARE,
    about: 'Renders every snapshot and attempt again; ends with 1 if a byte differs',
    arguments: [{ ...ID, name: '[id]' }],
    examples: [{ line: 'pctx replay support', about: 'one context' }],
    load: care('replay'),
  },
  {
    name: 'retain',
    group: CARE,
    about: 'Thins out the history of a context: kept snapshots stay as they are, the others are gone for good',
    arguments: [ID],
    options: [
      fieldOption('newest', field.newest, 'n'),
      fieldOption('every', field.every, 'n'),
      { ...fieldOption('since', field.since, 'time'), parse: time },
      ...WHO,
    ],
    examples: [{ line: 'pctx retain support --newest 50 --every 100', about: 'the newest, and one in a hundred' }],
    load: care('retain'),
  },
  {
    name: 'erase',
    group: CARE,
    about: 'Removes the contents of nodes, everywhere and for good',
    more: ' Every snapshot, fork and attempt, and the files of the database, lose them. It cannot be taken back.',
    arguments: [
      ID,
      {
        name: '<selector>',
        about: 'which nodes; every snapshot is searched, so it has no time prefix',
        complete: 'selector',
      },
    ],
    options: [
      {
        ...fieldOption('match', field.match, 'text'),
        about: 'only nodes with this text, which is redacted in the newest state first',
      },
      ...WHO,
    ],
    examples: [
      {
        line: `pctx erase support ".block" --match "my password"`,
        about: 'a few words: the sentences around them stay in the newest state, and history loses them',
      },
      {
        line: `pctx erase support ".block[role='user']" --reason "asked for by the user"`,
        about: 'what a person said',
      },
    ],
    load: care('erase'),
  },
  {
    name: 'transfer',
    group: CARE,
    about: 'Moves a context with all its forks to another store, while others go on committing',
    more: ' Everything is copied, checked, and followed; writers wait for a moment, and from then on find it there. Run it again if it was interrupted: it is finished.',
    arguments: [ID],
    options: [
      { flags: '--to <url>', about: 'the address of the other store, which is made if it is missing', mandatory: true },
      {
        flags: '--delete-source',
        about: 'deletes what is left here when all has arrived; else it stays, and cannot be opened',
      },
      ...WHO,
    ],
    examples: [
      {
        line: 'pctx transfer support --to sqlite:other.db',
        about: 'with its forks; this store then says where it went',
      },
      { line: 'pctx transfer support --to sqlite:other.db --delete-source', about: 'takes away what was left here' },
    ],
    load: care('transfer'),
  },
  {
    name: 'cost',
    reads: true,
    group: MORE,
    about: 'Tells what sessions cost, what other strategies would cost, and what broke the prompt cache',
    more: ` Reads what import reads, and logs of requests; no store is needed. Files may be gzip. Costs are in input tokens at their base price.
docs/cost.md explains the method.`,
    arguments: [{ name: '[file...]', about: 'files; - is standard input', complete: 'file' }],
    options: [
      {
        flags: '--context <id>',
        about: 'a context of the store, by the requests of its attempts; may be given several times',
        parse: gather,
      },
      {
        flags: '--budget <tokens>',
        about: 'the budget of the strategies: tokens, or a share of each session such as 25%, which is the default',
      },
      {
        flags: '--rules <name>',
        about: 'the cache rules and prices; claude-5m by default',
        choices: CACHE_RULES_NAMES,
      },
      { flags: '--breaks <n>', about: 'how many cache breaks are listed; 5 by default', parse: whole(0, 1_000_000) },
    ],
    examples: [
      { line: 'pctx cost chat.json', about: 'a conversation' },
      { line: 'pctx cost chat.json --budget 2000 --rules openai --json', about: 'for programs' },
    ],
    load: async () => (await import('./actions/cost.js')).run,
  },
  {
    name: 'lint',
    group: CARE,
    about: 'Checks selectors: one as an argument, or a file with one on each line; ends with 1 if one is wrong',
    arguments: [{ name: '[selector-or-file]', about: 'standard input by default', complete: 'file' }],
    options: [
      fieldOption('dialect', field.dialect, 'dialect'),
      fieldOption('migrate', field.migrate),
      { flags: '--fix', about: 'only prints the corrected selectors' },
    ],
    examples: [
      { line: `pctx lint ".block[role='user']"`, about: 'nothing wrong' },
      { line: 'pctx lint ".block:cor"', about: 'an unknown name', status: 1 },
    ],
    load: async () => (await import('./actions/lint.js')).lint,
  },
  {
    name: 'open',
    group: MORE,
    about: 'Shows files in the inspector: sessions, requests and exports, with nothing to set up',
    more: ` Reads what import reads. The conversations are in memory only and no store is touched.
With --html, one page that needs no server and asks nothing of the network.`,
    arguments: [{ name: '<file...>', about: 'files; - is standard input', complete: 'file' }],
    options: [
      { flags: '--html <file>', about: 'writes the inspector and the conversations as one page instead' },
      { flags: '--redact', about: 'with --html: letters of the same number for every text, to share the page' },
      { flags: '--no-open', about: 'prints the link only; BROWSER=none does the same' },
      { flags: '--port <n>', about: 'any free port by default', parse: whole(0, 65_535) },
    ],
    examples: [
      { line: 'pctx open chat.json', about: 'in the browser; Ctrl-C ends it', isLasting: true },
      { line: 'pctx open chat.json --html chat.html --redact', about: 'one page to share' },
    ],
    load: async () => (await import('./actions/open.js')).open,
  },
  {
    name: 'serve',
    group: MORE,
    about: 'Serves the store over HTTP on this machine, and prints a link for the browser that works once',
    options: [
      { flags: '--port <n>', about: '7878 by default; 0 takes any free port', parse: whole(0, 65_535) },
      { flags: '--host <host>', about: 'another address than this machine; needs a token' },
      { flags: '--token <token>', about: 'the token; else PACT_TOKEN, else a new one' },
      { flags: '--read-only', about: 'refuses every write' },
      { flags: '--at <id>', about: 'the context that the link leads to; the list of contexts by default' },
      { flags: '--open', about: 'opens the browser; never in CI or from a pipe' },
      { flags: '--cache <mb>', about: 'megabytes of contexts kept open; 256 by default', parse: whole(0, 1_000_000) },
    ],
    examples: [
      { line: 'pctx serve', about: 'then open the link that it prints; Ctrl-C ends it', isLasting: true },
      { line: 'pctx serve --port 8080 --read-only', about: 'on another port, read-only', isLasting: true },
    ],
    load: async () => (await import('./actions/serve.js')).serve,
    makes: true,
  },
  {
    name: 'mcp',
    group: MORE,
    about: 'Serves the store to agents over the Model Context Protocol, on stdin and stdout or over HTTP',
    more: 'Without --write every tool only reads. Needs the package @modelcontextprotocol/server.',
    options: [
      { flags: '--write', about: 'adds tools that write' },
      {
        flags: '--allow <what>',
        about: 'adds the tool redact; needs --write',
        choices: ['redact'],
        parse: (value, before) => [...((before as readonly string[] | undefined) ?? []), value],
      },
      { flags: '--http', about: 'serves over HTTP on this machine, and prints the address and the token' },
      { flags: '--port <n>', about: 'with --http; any free port by default', parse: whole(0, 65_535) },
      { flags: '--host <host>', about: 'with --http; another address than this machine; needs a token' },
      { flags: '--token <token>', about: 'with --http; the token; else PACT_TOKEN, else a new one' },
    ],
    examples: [{ line: 'pctx mcp --http --write', about: 'an agent may read and write', isLasting: true }],
    load: async () => (await import('./actions/mcp.js')).mcp,
    makes: true,
  },
  {
    name: 'demo',
    group: MORE,
    about: 'Fills the store with a conversation to look at, and prints three commands to try',
    arguments: [{ name: '[file...]', about: 'conversations of your own to add', complete: 'file' }],
    examples: [{ line: 'pctx demo', about: 'then pctx log demo-support' }],
    load: async () => (await import('./actions/demo.js')).demo,
    makes: true,
  },
  {
    name: 'completion',
    group: MORE,
    about: 'Prints a script that completes commands, options, contexts and selectors',
    arguments: [{ name: '<shell>', about: SHELLS.join(', '), complete: SHELLS }],
    examples: [
      { line: 'pctx completion bash', about: 'in ~/.bashrc: eval "$(pctx completion bash)"' },
      { line: 'pctx completion fish', about: 'in config.fish: pctx completion fish | source' },
    ],
    load: async () => (await import('./actions/completion.js')).completion,
  },
  {
    name: '__complete',
    reads: true,
    group: '',
    about: 'Completions of the last word',
    arguments: [{ name: '[words...]', about: 'the words so far' }],
    examples: [],
    load: async () => (await import('./actions/completion.js')).complete,
  },
]
