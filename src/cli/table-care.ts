// The commands that look after a store, and those around it.

import { CURSOR_OPTION } from './all-pages.js'
import { time, whole } from './given.js'
import type { CommandSpec, OptionSpec } from './spec.js'
import { ID, LIMIT } from './table-look.js'

const CARE = 'Care:'
const MORE = 'More:'
const WHO: readonly OptionSpec[] = [
  { flags: '--author <name>', about: 'who does it' },
  { flags: '--reason <text>', about: 'why' },
]
const SHELLS = ['bash', 'zsh', 'fish']

export const CARING: readonly CommandSpec[] = [
  {
    name: 'attempts',
    group: 'Send:',
    about: 'Lists what was sent to providers, and how it ended',
    arguments: [ID],
    options: [{ flags: '--cycle <n>', about: 'only of this cycle', parse: whole(0) }, LIMIT, CURSOR_OPTION],
    examples: [
      { line: 'pctx attempts support', about: 'all of them' },
      { line: 'pctx attempts support --limit 20 --json', about: 'the first twenty, and the cursor of the next ones' },
    ],
    load: async () => ({ run: (await import('./actions/contexts.js')).attempts }),
  },
  {
    name: 'fsck',
    group: CARE,
    about: 'Reads everything that was written and checks it; ends with 1 where something is wrong',
    arguments: [{ ...ID, name: '[id]' }],
    options: [{ flags: '--repair', about: 'makes derived data again where something is wrong with it' }],
    examples: [
      { line: 'pctx fsck', about: 'the whole store' },
      { line: 'pctx fsck support --json', about: 'one context, for programs' },
    ],
    load: async () => ({ run: (await import('./actions/care.js')).fsck }),
  },
  {
    name: 'replay',
    group: CARE,
    about: 'Renders every snapshot and attempt again; ends with 1 and the first byte that differs',
    arguments: [{ ...ID, name: '[id]' }],
    examples: [{ line: 'pctx replay support', about: 'one context' }],
    load: async () => ({ run: (await import('./actions/care.js')).replay }),
  },
  {
    name: 'retain',
    group: CARE,
    about: 'Thins out the past of a context: what is kept stays as it is, the rest is gone for good',
    arguments: [ID],
    options: [
      { flags: '--newest <n>', about: 'keeps so many of the newest', parse: whole(1) },
      { flags: '--every <n>', about: 'keeps those of every so manieth cycle', parse: whole(1) },
      { flags: '--since <time>', about: 'keeps those from this time on, such as 2026-05-01', parse: time },
      ...WHO,
    ],
    examples: [{ line: 'pctx retain support --newest 50 --every 100', about: 'the newest, and one in a hundred' }],
    load: async () => ({ run: (await import('./actions/retain.js')).run }),
  },
  {
    name: 'erase',
    group: CARE,
    about: 'Takes out what nodes say, everywhere and for good',
    more: ' From every snapshot, fork and attempt, and from the files of the database. It cannot be taken back.',
    arguments: [ID, { name: '<selector>', about: 'which nodes; @* looks at every snapshot' }],
    options: WHO,
    examples: [
      {
        line: `pctx erase support ".block[role='user']" --reason "asked for by the user"`,
        about: 'what a person said',
      },
    ],
    load: async () => ({ run: (await import('./actions/care.js')).erase }),
  },
  {
    name: 'lint',
    group: CARE,
    about:
      'Checks selectors: one as an argument, or a file with one on each line; ends with 1 where something is wrong',
    arguments: [{ name: '[selector-or-file]', about: 'standard input by default', complete: 'file' }],
    options: [
      { flags: '--dialect <dialect>', about: 'the edition of the language', choices: ['1.0', '0.1'] },
      { flags: '--migrate', about: 'reads 0.1 and says what 1.0 wants instead' },
      { flags: '--fix', about: 'only prints the selectors as they should be' },
    ],
    examples: [
      { line: `pctx lint ".block[role='user']"`, about: 'nothing wrong' },
      { line: 'pctx lint ".block:cor"', about: 'a name that is none', status: 1 },
    ],
    load: () => import('./actions/lint.js'),
  },
  {
    name: 'serve',
    group: MORE,
    about: 'Serves the store over HTTP on this machine, and prints a link for the browser that works once',
    options: [
      { flags: '--port <n>', about: '7878 by default; 0 takes any that is free', parse: whole(0, 65_535) },
      { flags: '--host <host>', about: 'another than this machine; then with a token' },
      { flags: '--token <token>', about: 'the token; else PACT_TOKEN, else a new one' },
      { flags: '--read-only', about: 'nothing can be changed' },
    ],
    examples: [
      { line: 'pctx serve', about: 'then open the link that it prints; Ctrl-C ends it', isLasting: true },
      { line: 'pctx serve --port 8080 --read-only', about: 'on another port, for who only looks', isLasting: true },
    ],
    load: () => import('./actions/serve.js'),
    makes: true,
  },
  {
    name: 'demo',
    group: MORE,
    about: 'Fills the store with a conversation to look at, and prints three commands to try',
    arguments: [{ name: '[file...]', about: 'conversations of your own beside it', complete: 'file' }],
    examples: [{ line: 'pctx demo', about: 'then pctx log demo-support' }],
    load: () => import('./actions/demo.js'),
    makes: true,
  },
  {
    name: 'completion',
    group: MORE,
    about: 'Prints a script that completes commands, options and contexts',
    arguments: [{ name: '<shell>', about: SHELLS.join(', '), complete: SHELLS }],
    examples: [
      { line: 'pctx completion bash', about: 'in ~/.bashrc: eval "$(pctx completion bash)"' },
      { line: 'pctx completion fish', about: 'in config.fish: pctx completion fish | source' },
    ],
    load: () => import('./actions/completion.js'),
  },
  {
    name: '__complete',
    group: '',
    about: 'What may stand where the last word does',
    arguments: [{ name: '[words...]', about: 'the words so far' }],
    examples: [],
    load: async () => ({ run: (await import('./actions/completion.js')).complete }),
  },
]
