// The comments that an editor shows for a public call can be understood without the documents and without this repository: no
// number of a decision, no section of the specification. Comments inside the package go on citing both.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { readPublicComments } from '../support/public-surface.js'
import type { PublicComment } from '../support/public-surface.js'

const SRC = path.resolve(import.meta.dirname, '../../src')
const COMMENTS = ['index.ts', 'tokens/index.ts'].flatMap((entry) =>
  readPublicComments(entry, (file) => fs.readFileSync(path.join(SRC, file), 'utf8')),
)

describe('the doc comments of the public surface', () => {
  test('are found: of functions, of types, and of all that a context inherits', () => {
    const files = new Set(COMMENTS.map(({ at }) => at.replace(/:\d+$/, '')))
    const wanted = ['context/context.ts', 'context/reads.ts', 'context/edits.ts', 'context/snapshot.ts', 'core/node.ts']
    expect(wanted.filter((file) => !files.has(file))).toEqual([])
  })

  test('cite nothing that a user cannot open', () => {
    expect(citing(COMMENTS)).toEqual([])
  })
})

test('a citation is found through doors and parents, not in bodies and not where a member is internal', () => {
  const files: Record<string, string> = {
    'index.ts': `export { Box, type Size as BoxSize } from './box/index.js'`,
    'box/index.ts': `export { Box } from './box.js'\nexport type { Size } from './size.js'`,
    'box/box.ts': [
      `import { Base } from './base.js'`,
      `/** A box (D1). */`,
      `export class Box extends Base {`,
      `  /** Its weight (02 §3). */`,
      `  get weight(): number { /** Inside (D2). */ const x = 1; return x }`,
      `  /** @internal For tests (D3). */`,
      `  hidden(): void {}`,
      `  /** Private (D4). */`,
      `  #secret = 1`,
      `}`,
      `/** Not exported (D5). */`,
      `function other(): void {}`,
    ].join('\n'),
    'box/base.ts': `export abstract class Base {\n  /** As N7 has it. */\n  open(): void {}\n}`,
    'box/size.ts': `export type Size = {\n  /** Centimetres. */\n  width: number\n  /** See chapter 8. */\n  height: number\n}`,
  }
  expect(citing(readPublicComments('index.ts', (file) => files[file]!))).toEqual([
    'box/box.ts:2: D1',
    'box/box.ts:4: §',
    'box/base.ts:2: N7',
    'box/size.ts:4: chapter 8',
  ])
})

function citing(comments: readonly PublicComment[]): readonly string[] {
  return comments.flatMap(({ at, text }) =>
    [...text.matchAll(/\b[DN]\d+\b|§|\bchapter \d+/g)].map(([cited]) => `${at}: ${cited}`),
  )
}
