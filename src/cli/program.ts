// The command line, from the table of commands. Commander reads it; its refusals become a UsageError.

import { Command, Option, type CommanderError } from 'commander'

import type { Call, CommandSpec, Example, OptionSpec, Values } from './spec.js'
import { UsageError } from './usage-error.js'

export type Parsed = Readonly<{
  spec: CommandSpec
  words: readonly unknown[]
  options: Values
  sequence: Call['sequence']
}>

const ABOUT = `Contexts of language models as trees, with all their snapshots.`

/** The options of every command. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: '--store <url>', about: 'the store; else PACT_STORE, else sqlite:.pact/contexts.db' },
  { flags: '--json', about: 'one JSON value instead of text; --json=id,cycle gives these fields of every entry' },
  { flags: '--color', about: 'colours, on any output' },
  { flags: '--no-color', about: 'no colours; NO_COLOR and FORCE_COLOR are honoured too' },
  { flags: '--no-pager', about: 'no pager for long output on a terminal' },
  { flags: '-q, --quiet', about: 'no progress and no notes' },
]

/** Text that was asked for: help or the version. */
export class Asked extends Error {}

export function programOf(specs: readonly CommandSpec[], version: string, onParsed: (parsed: Parsed) => void): Command {
  let written = ''
  const program = new Command('pctx')
    .description(ABOUT)
    .version(version, '-V, --version', 'the version')
    .helpOption('-h, --help', 'this page, or that of a command')
    .helpCommand('help [command]', 'the page of a command')
    .showSuggestionAfterError(true)
    .exitOverride((error: CommanderError) => {
      throw endOf(error, written)
    })
    .configureOutput({ writeOut: (text) => (written += text), writeErr: (text) => (written += text) })
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
  for (const option of COMMON_OPTIONS) program.addOption(optionOf(option))
  program.addOption(new Option('--json-fields <fields>').hideHelp())
  for (const spec of specs) program.addCommand(commandOf(spec, program, onParsed), { hidden: spec.group === '' })
  program.addHelpText('after', `\nExamples:\n${exampleLines(EXAMPLES)}`)
  return program
}

const EXAMPLES: readonly Example[] = [
  { line: 'pctx import chat.json', about: 'a recorded conversation becomes a context' },
  { line: 'pctx log chat', about: 'what each commit changed' },
  { line: 'pctx show chat @t-1', about: 'the tree, one commit ago' },
]

function commandOf(spec: CommandSpec, program: Command, onParsed: (parsed: Parsed) => void): Command {
  const command = new Command(spec.name).summary(spec.about).description(`${spec.about}.${spec.more ?? ''}`)
  command.copyInheritedSettings(program).helpGroup(spec.group)
  for (const { name, about } of spec.arguments ?? []) command.argument(name, about)
  const sequence: [string, string][] = []
  for (const option of (spec.options ?? []).map(optionOf)) {
    command.addOption(option)
    const name = option.attributeName()
    command.on(`option:${option.name()}`, (text: unknown) => {
      if (typeof text === 'string') sequence.push([name, text])
    })
  }
  if (spec.examples.length > 0) command.addHelpText('after', `\nExamples:\n${exampleLines(spec.examples)}`)
  command.action((...given: unknown[]) => {
    const words = given.slice(0, -2)
    onParsed({ spec, words, options: command.optsWithGlobals(), sequence })
  })
  return command
}

function optionOf({ flags, about, choices, parse, mandatory = false }: OptionSpec): Option {
  const option = new Option(flags, about)
  if (choices !== undefined) option.choices(choices)
  if (parse !== undefined) option.argParser(naming(option, parse))
  return option.makeOptionMandatory(mandatory)
}

/** Errors in a value name the option. */
function naming(option: Option, parse: NonNullable<OptionSpec['parse']>): NonNullable<OptionSpec['parse']> {
  return (text, before) => {
    try {
      return parse(text, before)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(`${option.long ?? option.flags}: ${error.message}`, { cause: error })
    }
  }
}

function exampleLines(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(({ line }) => line.length))
  const isWide = width <= 56
  return examples
    .map(({ line, about }) => (isWide ? `  ${line.padEnd(width)}   ${about}` : `  ${line}\n      ${about}`))
    .join('\n')
}

/** Help and version end the run; everything else is a mistake, with commander's sentence about it. */
function endOf(error: CommanderError, written: string): Error {
  if (error.exitCode === 0 || error.code === 'commander.help') return new Asked(written)
  const [, said = '', advice = ''] = /^(?:error: )?([^]*?)(?:\n\((Did you mean [^]*)\))?$/.exec(error.message) ?? []
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/\.?$/, '.')
  return new UsageError(`${sentence} ${advice}`.trimEnd(), { cause: error })
}

/**
 * `--json` may have a value, and yet `--json ID` must not take one: `--json=a,b` is two options to commander, unless it is the value of
 * an option itself.
 */
export function partJson(args: readonly string[], specs: readonly CommandSpec[]): readonly string[] {
  const taking = new Set(
    [...COMMON_OPTIONS, ...specs.flatMap(({ options = [] }) => options)]
      .filter(({ flags }) => flags.includes('<'))
      .flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []),
  )
  const end = args.indexOf('--')
  return args.flatMap((arg, i) => {
    const isValue = taking.has(args[i - 1] ?? '')
    if (!arg.startsWith('--json=') || isValue || (end >= 0 && i > end)) return [arg]
    return ['--json', `--json-fields=${arg.slice('--json='.length)}`]
  })
}
