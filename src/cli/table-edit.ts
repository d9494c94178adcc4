// The commands that change a context, or make and remove one. Each edit is one commit.

import { field } from '../api/index.js'
import { fieldOption } from './field-options.js'
import { CHANGE_OPTIONS, HEADER_OPTIONS } from './header-options.js'
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.js'
import { WHO } from './table-care.js'
import { ID, LENS } from './table-look.js'

/** The options of every edit: a dry run, the cycle that it builds on, a key that makes it happen once. */
const EDIT_OPTIONS: readonly OptionSpec[] = [
  fieldOption('author', field.author, 'name'),
  { flags: '--dry-run', about: 'shows what it would change, and changes nothing' },
  { ...fieldOption('base', field.READING.base, 'cycle'), about: 'only if that is still the newest cycle' },
  { flags: '--once <key>', about: 'a key for this commit: the same key again is answered, not committed again' },
]

const REGION_OPTION: OptionSpec = { flags: '--in-system', about: 'in the system region' }

/** The calls of `add`, each with its text. */
export const ROLES = ['user', 'assistant', 'tool', 'pre', 'post', 'system'] as const

type Role = (typeof ROLES)[number]

const ROLE_OPTIONS: readonly OptionSpec[] = ROLES.map((op) => ({
  flags: `--${op} <text>`,
  about: `${aboutRole(op)}; - is standard input`,
}))

function aboutRole(op: Role): string {
  if (op === 'pre' || op === 'post') return `a context block ${op === 'pre' ? 'before' : 'after'} the turn`
  return op === 'system' ? 'a block in the system region' : `a block of the ${op === 'tool' ? 'tools' : op}`
}

const EDIT = 'Edit:'
const CONTEXTS = 'Contexts:'
const SELECTOR: ArgumentSpec = { name: '<selector>', about: 'which nodes', complete: 'selector' }
const TEXT: ArgumentSpec = { name: '<text>', about: 'its content; - is standard input' }
const POSITION: ArgumentSpec = { name: '<position>', about: `such as "(d0, 0, +1)", "(d2, end)" or '{"depth":1}'` }

type EditName = 'compact' | 'add' | 'put' | 'insert' | 'replace' | 'move' | 'remove' | 'update' | 'apply'

function edit(name: EditName): CommandSpec['load'] {
  return async () => (await import('./actions/edit.js'))[name]
}

export const EDITING: readonly CommandSpec[] = [
  {
    name: 'import',
    group: CONTEXTS,
    about: 'Makes a context of every conversation in a file: JSON, or JSON Lines',
    more: ' The format is detected: requests of OpenAI, Anthropic, Gemini, Mistral, Bedrock and the AI SDK, ShareGPT and LLaMA-Factory, sessions of pi, Claude Code and Codex, exports of pctx. A context is named after its conversation, or else after the file. Compactions and edits of a session are applied: the newest snapshot is what its agent would send next, and earlier snapshots have the originals. Lines that cannot be read are listed, and the rest is imported. Files of any size are read line by line; one line, or a document over many lines, may have 256 MB.',
    arguments: [{ name: '<file...>', about: 'files; - is standard input', complete: 'file' }],
    options: [
      fieldOption('format', field.importFormat, 'format'),
      { flags: '--id <id>', about: 'the id of the context; with several conversations, a number follows' },
      { flags: '--update', about: 'adds new messages to a context that exists' },
    ],
    examples: [
      { line: 'pctx import chat.json', about: 'a conversation' },
      { line: 'pctx import chat.json --update', about: 'what was said since' },
      { line: 'cat chat.json | pctx import - --id from-a-pipe', about: 'from standard input' },
    ],
    load: async () => (await import('./actions/import.js')).read,
    makes: true,
  },
  {
    name: 'fork',
    group: CONTEXTS,
    about: 'Makes a context that shares the history of another',
    arguments: [ID, LENS],
    options: [{ flags: '--id <new>', about: 'its id', mandatory: true }],
    examples: [{ line: 'pctx fork support @t-1 --id support-again', about: 'from one commit ago' }],
    load: async () => (await import('./actions/contexts.js')).fork,
  },
  {
    name: 'rm',
    group: CONTEXTS,
    about: 'Removes a context with its history',
    arguments: [ID],
    options: [
      fieldOption('forks', field.forks),
      { flags: '--moved', about: 'the rest of a context that was moved to another store' },
      { flags: '-y, --yes', about: 'does not ask; from a script nothing is ever asked' },
    ],
    examples: [{ line: 'pctx rm support-again', about: 'for good' }],
    load: async () => (await import('./actions/contexts.js')).rm,
  },
  {
    name: 'add',
    group: EDIT,
    about: 'Adds a block to the turn, and commits it',
    more: ' A missing context is made. Every command is a commit, so a ttl counts commands; pctx apply commits many operations as one.',
    arguments: [ID],
    options: [...ROLE_OPTIONS, ...HEADER_OPTIONS, ...EDIT_OPTIONS],
    examples: [
      { line: 'pctx add support --user "How do I reset my password?"', about: 'a turn of the user' },
      {
        line: 'pctx add support --post "Doc: resetting…" --key kb --ttl 1',
        about: 'a block that leaves after one commit',
      },
      { line: 'pctx add support --assistant "Like this." --dry-run', about: 'only what it would change' },
    ],
    load: edit('add'),
    makes: true,
  },
  {
    name: 'put',
    group: EDIT,
    about: 'Writes the content of a key: replaces its instance in the active head, or adds one',
    arguments: [ID, { name: '<key>', about: 'the key' }, TEXT],
    options: [REGION_OPTION, ...HEADER_OPTIONS.filter(({ flags }) => !flags.startsWith('--key')), ...EDIT_OPTIONS],
    examples: [
      { line: 'pctx put support plan "Plan: ask for the address" --in-system', about: 'one plan in the system region' },
    ],
    load: edit('put'),
    makes: true,
  },
  {
    name: 'insert',
    group: EDIT,
    about: 'Puts a new node at a place',
    arguments: [ID, POSITION, TEXT],
    options: [REGION_OPTION, ...HEADER_OPTIONS, ...EDIT_OPTIONS],
    examples: [
      { line: 'pctx insert support "(d1, +1)" "A remark behind the newest turn" --dry-run', about: 'in history' },
    ],
    load: edit('insert'),
    makes: true,
  },
  {
    name: 'compact',
    group: EDIT,
    about: 'Puts one summary in the place of old steps; the originals stay in history',
    more: ' The newest steps stay, and so do pinned and keyed nodes, open calls and the task. pctx apply with {"op":"expand","id":"…"} puts the originals back.',
    arguments: [ID],
    options: [
      { ...fieldOption('keep', field.keep, 'steps'), about: 'how many of the newest steps stay; 12 by default' },
      { flags: '--plan', about: 'shows the nodes that would go, and the prompt for the summary; changes nothing' },
      { flags: '--summary <file>', about: 'the text of the summary; - is standard input' },
      ...EDIT_OPTIONS,
    ],
    examples: [{ line: 'pctx compact support --keep 1 --plan', about: 'what would go' }],
    load: edit('compact'),
  },
  {
    name: 'replace',
    group: EDIT,
    about: 'Replaces nodes with another version of them',
    arguments: [ID, SELECTOR, { name: '[text]', about: 'their new content; - is standard input' }],
    options: [REGION_OPTION, ...HEADER_OPTIONS, ...EDIT_OPTIONS],
    examples: [
      { line: 'pctx replace support "^sys #plan" "Plan: wait for the answer" --in-system', about: 'a new plan' },
    ],
    load: edit('replace'),
  },
  {
    name: 'move',
    group: EDIT,
    about: 'Moves nodes to another place',
    arguments: [ID, SELECTOR, POSITION],
    options: [REGION_OPTION, ...EDIT_OPTIONS],
    examples: [
      { line: 'pctx add support --post "A note" --key note', about: 'a node to move, after the newest turn' },
      { line: 'pctx move support "#note" "(d1, -1)"', about: 'before the messages of that turn' },
      { line: 'pctx move support "#note" "(d2, +1)"', about: 'after the turn before it' },
    ],
    load: edit('move'),
  },
  {
    name: 'update',
    group: EDIT,
    about: 'Changes headers that may change at any depth: ttl, priority, pinned, tags',
    arguments: [ID, SELECTOR],
    options: [REGION_OPTION, ...CHANGE_OPTIONS, ...EDIT_OPTIONS],
    examples: [
      { line: `pctx update support ".block[role='user']" --tag said`, about: 'a tag on every message of the user' },
    ],
    load: edit('update'),
  },
  {
    name: 'delete',
    group: EDIT,
    about: 'Deletes nodes; in history a marker stays in their place',
    arguments: [ID, SELECTOR],
    options: [...WHO.filter(({ flags }) => !flags.startsWith('--author')), REGION_OPTION, ...EDIT_OPTIONS],
    examples: [{ line: 'pctx delete support "^sys #plan" --in-system --reason done', about: 'the plan' }],
    load: edit('remove'),
  },
  {
    name: 'apply',
    group: EDIT,
    about: 'Applies operations from a file as one commit: a JSON list, or one on each line',
    arguments: [ID, { name: '[file]', about: 'standard input by default', complete: 'file' }],
    options: EDIT_OPTIONS,
    examples: [
      {
        line: `echo '[{"op":"user","content":"Hi"},{"op":"assistant","content":"Ho"}]' | pctx apply support`,
        about: 'a turn',
      },
      {
        line: `echo '{"op":"user","content":"Hi"}' | pctx apply support --once request-7`,
        about: 'once, also if it is sent again',
      },
    ],
    load: edit('apply'),
    makes: true,
  },
]
