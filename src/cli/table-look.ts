// The commands that only read.

import { FORMAT_NAMES } from '../formats/index.js'
import { CURSOR_OPTION } from './all-pages.js'
import { whole } from './given.js'
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.js'

export const ID: ArgumentSpec = { name: '<id>', about: 'the context', complete: 'context' }
export const LENS: ArgumentSpec = {
  name: '[lens]',
  about: 'which snapshot: @t0 the newest, @t-1 the one before, @c3 cycle 3',
  complete: 'lens',
}
const FOR: OptionSpec = { flags: '--for <format>', about: "whose request: a provider's format", choices: FORMAT_NAMES }
export const LIMIT: OptionSpec = { flags: '--limit <n>', about: 'at most so many', parse: whole(1) }
const LOOK = 'Look:'
const SEND = 'Send:'

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
    load: () => import('./actions/ls.js'),
  },
  {
    name: 'log',
    group: LOOK,
    about: 'Tells in one line for each commit what it changed and why, the newest first',
    arguments: [ID],
    options: [LIMIT, { flags: '--before <cycle>', about: 'only older ones', parse: whole(1) }],
    examples: [
      { line: 'pctx log support', about: 'every commit' },
      { line: 'pctx log support --limit 2', about: 'the newest two' },
    ],
    load: () => import('./actions/log.js'),
  },
  {
    name: 'show',
    group: LOOK,
    about: 'Draws the tree of a snapshot',
    arguments: [ID, LENS],
    options: [
      { flags: '-a, --all', about: 'everything, however long' },
      { flags: '--segments <n>', about: 'so many segments, with all that they hold', parse: whole(0) },
      { flags: '--preview <n>', about: 'so many characters of each content', parse: whole(1) },
    ],
    examples: [
      { line: 'pctx show support', about: 'as it is now' },
      { line: 'pctx show support @t-1 --all', about: 'one commit ago, all of it' },
    ],
    load: () => import('./actions/show.js'),
  },
  {
    name: 'select',
    group: LOOK,
    about: 'Finds nodes by a selector: their ids, one on each line',
    arguments: [ID, { name: '<selector>', about: "such as '.block[role=user]' or '@t-1 #plan'" }],
    options: [
      { flags: '--nodes', about: 'the nodes themselves' },
      { flags: '--count', about: 'only how many' },
      LIMIT,
      { flags: '--skip <n>', about: 'without the first so many', parse: whole(0) },
    ],
    examples: [
      { line: `pctx select support ".block[role='user']"`, about: 'what the user said' },
      { line: 'pctx select support "@t-1 .block" --count', about: 'how many blocks there were one commit ago' },
    ],
    load: () => import('./actions/select.js'),
  },
  {
    name: 'names',
    group: LOOK,
    about: 'Lists what selectors can ask for: types, keys, tags, roles, kinds and attributes, with counts',
    arguments: [ID, LENS],
    options: [{ ...LIMIT, about: 'at most so many of each sort, the most frequent first' }, CURSOR_OPTION],
    examples: [
      { line: 'pctx names support', about: 'all of them' },
      { line: 'pctx names support @t-1 --json=keys', about: 'the keys of one commit ago, for programs' },
    ],
    load: () => import('./actions/names.js'),
  },
  {
    name: 'diff',
    group: LOOK,
    about: 'Tells what came, left and changed between two snapshots, and why',
    arguments: [
      ID,
      { name: '<a>', about: 'the one', complete: 'lens' },
      { name: '<b>', about: 'the other', complete: 'lens' },
      { name: '[selector]', about: 'only of these nodes' },
    ],
    options: [
      { flags: '--stat', about: 'only numbers, by reason' },
      { flags: '--content', about: 'contents line by line' },
    ],
    examples: [
      { line: 'pctx diff support @t-1 @t0', about: 'what the newest commit did' },
      { line: 'pctx diff support @c1 @t0 --stat', about: 'all since the first, in numbers' },
    ],
    load: () => import('./actions/diff.js'),
  },
  {
    name: 'explain',
    group: LOOK,
    about: 'Says why a node is there and what will happen to it',
    arguments: [ID, { name: '<node>', about: 'its id, as select prints it' }, LENS],
    examples: [{ line: 'pctx explain support "$(pctx select support ".block" --limit 1)"', about: 'the first block' }],
    load: () => import('./actions/explain.js'),
  },
  {
    name: 'thread',
    group: SEND,
    about: 'Writes the provider-neutral thread: exactly its bytes',
    arguments: [ID, LENS],
    examples: [{ line: 'pctx thread support > thread.json', about: 'canonical JSON' }],
    load: async () => ({ run: (await import('./actions/bytes.js')).thread }),
  },
  {
    name: 'export',
    group: SEND,
    about: 'Writes a snapshot in the form that import reads: exactly its bytes',
    arguments: [ID, LENS],
    examples: [{ line: 'pctx export support @t-1 > support.json', about: 'one commit ago' }],
    load: async () => ({ run: (await import('./actions/bytes.js')).exported }),
  },
  {
    name: 'render',
    group: SEND,
    about: "Writes a provider's request as JSON",
    arguments: [ID, LENS],
    options: [
      { ...FOR, mandatory: true },
      { flags: '--cache', about: 'with cache marks' },
      { flags: '--no-repair', about: 'exactly what the tree holds, whether the provider takes it or not' },
    ],
    examples: [
      { line: 'pctx render support --for anthropic', about: 'the body of messages.create, without the model' },
      { line: 'pctx render support --for openai-chat @t-1', about: 'another provider, one commit ago' },
    ],
    load: () => import('./actions/render.js'),
  },
  {
    name: 'prefix',
    group: SEND,
    about: 'Tells how much of a request is a stable prefix of the one before, and what ended it',
    arguments: [
      ID,
      { name: '[a]', about: 'the earlier one, @t-1 by default', complete: 'lens' },
      { name: '[b]', about: 'the later one, @t0 by default', complete: 'lens' },
    ],
    options: [FOR, { flags: '--cache', about: 'by cache marks' }],
    examples: [
      { line: 'pctx prefix support', about: 'of the thread' },
      { line: 'pctx prefix support @c1 @t0 --for anthropic', about: "of one provider's request" },
    ],
    load: () => import('./actions/prefix.js'),
  },
]
