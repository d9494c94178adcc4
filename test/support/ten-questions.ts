// The page docs/ten-questions.md, and the conversation on it as a store in a file. Reads dist/, so `npm run build` comes first.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { expect } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
export const PAGE = fs.readFileSync(path.join(ROOT, 'docs/ten-questions.md'), 'utf8')

/** The blocks of code in a language, in their order. */
export function blocks(language: string): readonly string[] {
  return [...PAGE.matchAll(/```(\w+)[^\n]*\n([^]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!)
}

/** Runs the first block of the page in a folder, and gives the address of the store that it makes. */
export function makeConversation(name: string): Readonly<{ folder: string; address: string }> {
  // A program in the package may import the package by its name.
  const folder = path.join(ROOT, '.pact', name)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const story = `${blocks('ts')[0]!.replace('(text: string)', '(text)')}\nawait store.close()\n`
  fs.writeFileSync(path.join(folder, 'story.mjs'), story)
  const { status, stderr } = spawnSync(process.execPath, ['story.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return { folder, address: `sqlite:${path.join(folder, 'agent.db')}` }
}
