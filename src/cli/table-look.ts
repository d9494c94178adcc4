// The commands that only read.

import { field } from '../api/index.js'
import { CURSOR_OPTION } from './all-pages.js'
import { fieldOption } from './field-options.js'
import { whole } from './given.js'
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.js'

export const ID: ArgumentSpec = { name: '<id>', about: 'the context', complete: 'context' }
export const LENS: ArgumentSpec = {
  name: '[lens]',
  about: 'which snapshot: @t0 the newest, @t-1 the one before, @c3 cycle 3',
  complete: 'lens',
}
const FOR: OptionSpec = fieldOption('for', field.providerFormat, 'format')
export const LIMIT: OptionSpec = { flags: '--limit <n>', about: 'at most this many', parse: whole(1) }
const LOOK = 'Look:'
const SEND = 'Send:'

function send(name: 'thread' | 'exported' | 'render' | 'sent' | 'prefix'): CommandSpec['load'] {
  return async () => (await import('./actions/send.js'))[name]
}

export const LOOKING: readonly CommandSpec[] = [
  {
    name: 'ls',
    group: LOOK,
    about: 'Lists the contexts of the store with their newest cycle',
    options: [LIMIT, CURSOR_OPTION],
    examples: [
      { line: 'pctx ls', about: 'all of them' },
      { line: 'pctx ls --json=id,cycle', about: 'for programs, two fields of each' },
    ],
    load: async () => (await import('./actions/ls.js')).ls,
  },
  {
    name: 'log',
    group: LOOK,
    about: 'Shows what each commit changed and why, one line each, newest first',
    arguments: [ID],
    options: [LIMIT, { flags: '--before <cycle>', about: 'only older ones', parse: whole(1) }],
    examples: [
      { line: 'pctx log support', about: 'every commit' },
      { line: 'pctx log support --limit 2', about: 'the newest two' },
    ],
    load: async () => (await import('./actions/log.js')).log,
  },
  {
    name: 'show',
    group: LOOK,
    about: 'Draws the tree of a snapshot',
    arguments: [ID, LENS],
    options: [
      { flags: '-a, --all', about: 'everything, at any length' },
      { flags: '--segments <n>', about: 'this many segments, with everything in them', parse: whole(0) },
      { flags: '--preview <n>', about: 'this many characters of each content', parse: whole(1) },
    ],
    examples: [
      { line: 'pctx show support', about: 'as it is now' },
      { line: 'pctx show support @t-1 --all', about: 'one commit ago, all of it' },
    ],
    load: async () => (await import('./actions/show.js')).show,
  },
  {
    name: 'draft',
    group: LOOK,
    about: 'Shows the edits of the open cycle that are saved and not committed',
    arguments: [ID],
    options: [{ flags: '--discard', about: 'drops them' }],
    examples: [
      { line: 'pctx draft support', about: 'what is saved' },
      { line: 'pctx draft support --discard', about: 'drops it' },
    ],
    load: async () => (await import('./actions/draft.js')).draft,
  },
  {
    name: 'select',
    group: LOOK,
    about: 'Finds nodes by a selector: their ids, one on each line',
    arguments: [ID, { name: '<selector>', about: "such as '.block[role=user]' or '@t-1 #plan'", complete: 'selector' }],
    options: [
      fieldOption('nodes', field.nodes),
      { flags: '--count', about: 'only their number' },
      LIMIT,
      { flags: '--skip <n>', about: 'skips this many', parse: whole(0) },
    ],
    examples: [
      { line: `pctx select support ".block[role='user']"`, about: 'what the user said' },
      { line: 'pctx select support "@t-1 .block" --count', about: 'the number of blocks one commit ago' },
    ],
    load: async () => (await import('./actions/select.js')).select,
  },
  {
    name: 'names',
    group: LOOK,
    about: 'Lists the names that selectors can use: types, keys, tags, roles, kinds and attributes, with counts',
    arguments: [ID, LENS],
    options: [{ ...LIMIT, about: 'at most this many of each sort, the most frequent first' }, CURSOR_OPTION],
    examples: [
      { line: 'pctx names support', about: 'all of them' },
      { line: 'pctx names support @t-1 --json=keys', about: 'the keys of one commit ago, for programs' },
    ],
    load: async () => (await import('./actions/names.js')).names,
  },
  {
    name: 'diff',
    group: LOOK,
    about: 'Shows the changes between two snapshots, with reasons',
    arguments: [
      ID,
      { name: '<a>', about: 'the earlier one', complete: 'lens' },
      { name: '<b>', about: 'the later one', complete: 'lens' },
      { name: '[selector]', about: 'only these nodes', complete: 'selector' },
    ],
    options: [
      { flags: '--stat', about: 'only numbers, by reason' },
      { flags: '--content', about: 'contents line by line' },
    ],
    examples: [
      { line: 'pctx diff support @t-1 @t0', about: 'what the newest commit did' },
      { line: 'pctx diff support @c1 @t0 --stat', about: 'everything since the first, in numbers' },
    ],
    load: async () => (await import('./actions/diff.js')).diff,
  },
  {
    name: 'explain',
    group: LOOK,
    about: 'Shows why a node is in the tree, and what will happen to it',
    arguments: [
      ID,
      { name: '<node>', about: "its id, or a selector that finds one node, such as '#plan'", complete: 'selector' },
      LENS,
    ],
    examples: [{ line: 'pctx explain support "$(pctx select support ".block" --limit 1)"', about: 'the first block' }],
    load: async () => (await import('./actions/select.js')).explain,
  },
  {
    name: 'tokens',
    group: LOOK,
    about: 'Counts tokens, the largest first: by node, kind, name of the tool, role, region, depth or key',
    arguments: [ID, LENS],
    options: [
      { ...fieldOption('by', field.by, 'what'), about: 'splits them by this; by node unless --for is given' },
      {
        ...fieldOption('select', field.select, 'selector'),
        about: 'counts only these nodes, such as "[kind=\'result\']"',
      },
      { ...LIMIT, about: 'at most this many lines; 20 on a terminal' },
      FOR,
    ],
    examples: [
      { line: `pctx tokens support --select ".block" --limit 3`, about: 'the three largest blocks' },
      { line: 'pctx tokens support --by role', about: 'who takes them' },
      { line: 'pctx tokens support --for anthropic', about: 'what a request would have' },
    ],
    load: async () => (await import('./actions/tokens.js')).tokens,
  },
  {
    name: 'recall',
    group: LOOK,
    about: 'Prints the original content of a tool result that was shed',
    arguments: [ID, { name: '<node>', about: 'the id that the line in its place names' }],
    examples: [
      {
        line: `pctx recall support "$(pctx select support ".block[kind='result']" --limit 1)"`,
        about: 'the first result, whole',
      },
    ],
    load: async () => (await import('./actions/recall.js')).recall,
  },
  {
    name: 'thread',
    group: SEND,
    about: 'Writes the provider-neutral thread: exactly its bytes',
    arguments: [ID, LENS],
    examples: [{ line: 'pctx thread support > thread.json', about: 'canonical JSON' }],
    load: send('thread'),
  },
  {
    name: 'export',
    group: SEND,
    about: 'Writes a snapshot in the form that import reads: exactly its bytes',
    arguments: [ID, LENS],
    examples: [{ line: 'pctx export support @t-1 > support.json', about: 'one commit ago' }],
    load: send('exported'),
  },
  {
    name: 'render',
    group: SEND,
    about: "Writes a provider's request as JSON",
    arguments: [ID, LENS],
    options: [
      { ...FOR, mandatory: true },
      { flags: '--cache', about: 'with cache marks' },
      { flags: '--no-repair', about: 'exactly the content of the tree, even if the provider refuses it' },
    ],
    examples: [
      { line: 'pctx render support --for anthropic', about: 'the body of messages.create, without the model' },
      { line: 'pctx render support --for openai-chat @t-1', about: 'another provider, one commit ago' },
    ],
    load: send('render'),
  },
  {
    name: 'sent',
    group: SEND,
    about: 'Writes the body of a provider call exactly as it was sent',
    arguments: [ID, { name: '<attempt>', about: 'the id of the call, as `pctx attempts` lists it' }],
    examples: [{ line: 'pctx sent support attempt:4-0', about: 'the first call of cycle 4, with its model and tools' }],
    load: send('sent'),
  },
  {
    name: 'prefix',
    group: SEND,
    about: 'Shows the stable prefix that a request shares with the one before, and what ended it',
    arguments: [
      ID,
      { name: '[a]', about: 'the earlier one, @t-1 by default', complete: 'lens' },
      { name: '[b]', about: 'the later one, @t0 by default', complete: 'lens' },
    ],
    options: [FOR, { flags: '--cache', about: 'with cache marks' }],
    examples: [
      { line: 'pctx prefix support', about: 'for the thread' },
      { line: 'pctx prefix support @c1 @t0 --for anthropic', about: "for a provider's request" },
    ],
    load: send('prefix'),
  },
]
