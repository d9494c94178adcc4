// What a command is: its words for people, and the file that does it, loaded when it is asked for. The help, the completion and
// docs/cli.md are all made of this.

import type { Readable } from 'node:stream'

import type { Desk } from '../commands/index.js'
import type { Catalog, Store } from '../store/index.js'
import type { JsonChoice } from './json-out.js'
import type { TextLine, Terminal } from './terminal.js'

export type OptionSpec = Readonly<{
  /** As commander has them: `--for <format>`. */
  flags: string
  about: string
  choices?: readonly string[]
  /** Makes a value of the text; what it throws is the user's mistake. */
  parse?: (text: string, before: unknown) => unknown
  mandatory?: boolean
}>

export type ArgumentSpec = Readonly<{
  /** `<id>`, `[lens]`, `<file...>`. */
  name: string
  about: string
  /** What completes it. */
  complete?: 'context' | 'file' | 'lens' | readonly string[]
}>

/** A command line that a test runs, after those of the commands before it in the same help; a lasting one goes on until it is ended. */
export type Example = Readonly<{ line: string; about: string; status?: number; isLasting?: true }>

export type CommandSpec = Readonly<{
  name: string
  group: string
  about: string
  /** More than fits in a line. */
  more?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  examples: readonly Example[]
  load: () => Promise<Readonly<{ run: Action }>>
  /** Whether it may make a store that is not there; a store that is only read from is then empty. */
  makes?: boolean
}>

export type Values = Readonly<Record<string, unknown>>

/** What a command was given, and what it may use. */
export type Call = Readonly<{
  terminal: Terminal
  arguments: readonly (string | undefined)[]
  /** All words of the last argument, where it takes many. */
  rest: readonly string[]
  options: Values
  /** Options with their texts, in the order in which they were given. */
  sequence: readonly (readonly [name: string, text: string])[]
  json: JsonChoice | undefined
  isQuiet: boolean
  /** Where the store is, as an address. */
  address: () => string
  store: () => Promise<Store>
  /** Only which contexts there are, for which little has to be loaded. */
  catalog: () => Promise<Catalog>
  desk: () => Promise<Desk>
  /** Prints one JSON value with `--json`, lines for people without it. */
  answer: (value: unknown, lines: () => readonly TextLine[]) => Promise<void>
  /** Ends by Ctrl-C from now on, where the command looks at it; the process then ends with 130. */
  interruptible: () => AbortSignal
  stdin: () => Readable
}>

/** Gives the exit status; 0 by default. */
export type Action = (call: Call) => Promise<number | void>
