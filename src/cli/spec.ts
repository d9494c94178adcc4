// A command: its texts, and the file with its action, which is loaded on demand. The help, the completion and
// docs/cli.md are all made of this.

import type { Readable } from 'node:stream'

import type { ContextPool } from '../commands/index.js'
import type { Catalog, Store } from '../store/index.js'
import type { JsonChoice } from './json-out.js'
import type { TextLine, Terminal } from './terminal.js'

export type OptionSpec = Readonly<{
  /** As commander has them: `--for <format>`. */
  flags: string
  about: string
  choices?: readonly string[]
  /** Parses the value; an error is a mistake of the user. */
  parse?: (text: string, before: unknown) => unknown
  mandatory?: boolean
}>

export type ArgumentSpec = Readonly<{
  /** `<id>`, `[lens]`, `<file...>`. */
  name: string
  about: string
  /** The source of completions. */
  complete?: 'context' | 'file' | 'lens' | 'selector' | readonly string[]
}>

/** A command line that a test runs, in the order of the help; a lasting one runs until it is ended. */
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
  load: () => Promise<Action>
  /** The command may make a missing store. */
  makes?: boolean
  /** The command only reads from its store. */
  reads?: boolean
}>

export type Values = Readonly<Record<string, unknown>>

/** The arguments and options of a command, and the means to answer. */
export type Call = Readonly<{
  terminal: Terminal
  arguments: readonly (string | undefined)[]
  /** All words of the last argument, if it takes many. */
  rest: readonly string[]
  options: Values
  /** Options with their texts, in the order in which they were given. */
  sequence: readonly (readonly [name: string, text: string])[]
  json: JsonChoice | undefined
  isQuiet: boolean
  /** The address of the store. */
  address: () => string
  store: () => Promise<Store>
  /** The list of contexts alone, which loads little. */
  catalog: () => Promise<Catalog>
  pool: () => Promise<ContextPool>
  /** Prints one JSON value with `--json`, lines for people without it. */
  answer: (value: unknown, lines: () => readonly TextLine[]) => Promise<void>
  /** A signal that Ctrl-C aborts from now on; the process then ends with 130. */
  interruptible: () => AbortSignal
  stdin: () => Readable
}>

/** Gives the exit status; 0 by default. */
export type Action = (call: Call) => Promise<number | void>
