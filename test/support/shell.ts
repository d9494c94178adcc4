// An interactive shell on a terminal of its own, as a person has it: keys go in, and the line is read back. `script` (util-linux)
// makes the terminal.

import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'

export type ShellName = 'bash' | 'zsh' | 'fish'

/** Why a shell cannot be driven here; undefined where it can. */
export function missingFor(shell: ShellName): string | undefined {
  const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0
  if (!has(shell)) return `there is no ${shell}`
  return shell !== 'fish' && !has('script') ? 'there is no script (util-linux) to make a terminal' : undefined
}

/** Ctrl-G prints the line. */
const START: Readonly<Record<'bash' | 'zsh', readonly string[]>> = {
  bash: [
    'bash --norc --noprofile -i',
    `bind 'set bell-style none'; bind -x '"\\C-g": printf "\\n<<%s>>\\n" "$READLINE_LINE"'`,
  ],
  zsh: [
    'zsh -f -i',
    `autoload -Uz compinit; compinit -u -D; unsetopt beep list_beep; bindkey -e; shown() { print -r -- "<<$BUFFER>>" }; zle -N shown; bindkey '^G' shown`,
  ],
}

export class Shell {
  readonly #child: ChildProcessWithoutNullStreams
  #said = ''
  #wake = (): void => {}

  constructor(shell: 'bash' | 'zsh', where: Readonly<{ cwd: string; env: NodeJS.ProcessEnv }>) {
    const [command, setUp] = START[shell]
    const env = { ...where.env, TERM: 'dumb', PS1: '$ ', HISTFILE: '/dev/null' }
    this.#child = spawn('script', ['-qfec', command!, '/dev/null'], { ...where, env })
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString()
      this.#wake()
    })
    this.#child.stdin.write(`${setUp}\n`)
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<void> {
    // The echo of the line has the quotes, what it prints has not.
    this.#child.stdin.write(`${command}; printf 'do%s\\n' ne-with-it\n`)
    await this.#until(/done-with-it/)
  }

  /** The line after these keys and Tab; the line is given up then. */
  async complete(keys: string): Promise<string> {
    this.#said = ''
    this.#child.stdin.write(`${keys}\t\u0007`)
    const [, text = ''] = await this.#until(/<<([^]*?)>>/)
    // Ctrl-E, Ctrl-U: zsh has it for the whole line anyway.
    this.#child.stdin.write('\u0005\u0015')
    return text.replaceAll('\r', '')
  }

  async end(): Promise<void> {
    const over = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin.end('\u0005\u0015exit\n')
    await over
  }

  async #until(wanted: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = wanted.exec(this.#said)
      if (found !== null) {
        this.#said = this.#said.slice(found.index + found[0].length)
        return found
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
