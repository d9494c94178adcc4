// Progress of long work: a bar on a terminal, a line now and then elsewhere, nothing where it is quick or quiet.

import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import { Progress } from './progress.js'
import { Terminal } from './terminal.js'

function told(isTTY: boolean, isQuiet: boolean, pause: number): string {
  let text = ''
  let now = 0
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 60 })
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const terminal = new Terminal({ stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: { NO_COLOR: '1' } })
  const progress = new Progress(terminal, 'import x', isQuiet, () => now)
  for (let done = 0; done <= 4; done++) {
    now += pause
    progress.at(done, 4, `${done} done`)
  }
  progress.end()
  return text
}

describe('progress', () => {
  it('is a bar on a terminal, and is taken off it', () => {
    const drawn = told(true, false, 200).split('\r')
    expect(drawn[3]).toBe('import x [######..................]  25 % 1 done')
    expect(drawn.at(-2)?.trim()).toBe('')
    expect(drawn.join('')).not.toContain('\n')
  })

  it('is a line now and then elsewhere', () => {
    expect(told(false, false, 2600)).toBe('import x:  25 % 1 done\nimport x:  75 % 3 done\n')
  })

  it('is nothing where it is quick, or where nobody wants it', () => {
    expect([told(true, false, 10), told(false, false, 500), told(true, true, 5000)]).toEqual(['', '', ''])
  })
})
