// The table by script in docs/tokens.md, counted again: the estimate and o200k on texts in 29 languages and on what tools print.

import { readFileSync } from 'node:fs'

import { estimate, o200k } from 'pact-context/tokens'
import { describe, expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const TEXTS = Object.entries(JSON.parse(read('estimated-texts.json')) as Record<string, string>)

function rowOf(name: string, text: string): string {
  const [counted, estimated] = [o200k(text), estimate(text)]
  return `| ${name} | ${counted} | ${estimated} | ${(estimated / counted).toFixed(2)} |`
}

describe('the estimate by script', () => {
  test.each(TEXTS)('of %s is 0.7 to 1.5 of o200k', (_name, text) => {
    const ratio = estimate(text) / o200k(text)
    expect(ratio).toBeGreaterThanOrEqual(0.7)
    expect(ratio).toBeLessThanOrEqual(1.5)
  })

  test('is what docs/tokens.md says', () => {
    const head = '| text | `o200k` | `estimate` | ratio |\n| --- | --- | --- | --- |\n'
    const table = read('../../docs/tokens.md').split(head)[1]?.split('\n\n')[0]
    expect(table?.split('\n')).toEqual(TEXTS.map(([name, text]) => rowOf(name, text)))
  })
})
