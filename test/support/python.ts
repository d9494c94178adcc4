// Answers of scripts/reference_rules.py, the rules of chapter 08 in Python.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../scripts/reference_rules.py', import.meta.url))

/** The reason to skip a test that needs Python; undefined if there is a python3. */
export const NO_PYTHON: string | undefined =
  spawnSync('python3', ['--version']).status === 0 ? undefined : 'there is no python3 on the PATH'

/** One line of answer for each question, which is a line of JSON. */
export function askPython(questions: readonly string[]): readonly string[] {
  const input = questions.map((question) => `${question}\n`).join('')
  const run = spawnSync('python3', [SCRIPT], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  expect(run.stderr).toBe('')
  const answers = run.stdout.trimEnd().split('\n')
  expect(answers).toHaveLength(questions.length)
  return answers
}
