// Options that mean the same as a field of an endpoint: the sentence, the choices and the check come from its schema.

import type { Schema } from '../api/index.js'
import type { OptionSpec } from './spec.js'
import { UsageError } from './usage-error.js'

/** `--cycle <n>` for the field `cycle`; without a value name, a flag. */
export function fieldOption(name: string, field: Schema<unknown, boolean>, value?: string): OptionSpec {
  const about = `${field.about.charAt(0).toLowerCase()}${field.about.slice(1)}`.replaceAll('`', '').replace(/\.$/, '')
  if (value === undefined) return { flags: `--${name}`, about }
  const flags = `--${name} <${value}>`
  if (field.choices !== undefined) return { flags, about, choices: field.choices }
  // The command checks texts, with a sentence of its own.
  if (field.accepts('text')) return { flags, about }
  return {
    flags,
    about,
    parse: (text) => {
      const given = field.read(text)
      if (field.accepts(given)) return given
      throw new UsageError(`"${text}" is no ${field.phrase.replace(/^an? /, '')}.`)
    },
  }
}
