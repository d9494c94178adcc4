// The size of the package as npm packs it, and of the core as a browser loads it.

import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { atMost, line, single } from '../harness.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KB = 1024

export const rows = [{ title: 'size of the package', run }]

async function run() {
  const [{ size }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }),
  )
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({ input: path.join(ROOT, 'dist/bundle/index.js'), platform: 'browser' })
  const { output } = await bundle.generate({ minify: true })
  const code = output.map((chunk) => chunk.code ?? '').join('')
  return [
    line({ row: 'package, packed', ours: single(size), unit: 'bytes', goal: atMost(1.5 * KB * KB, 'bytes') }),
    line({
      row: 'core in a browser, gzipped',
      ours: single(gzipSync(code).length),
      unit: 'bytes',
      goal: atMost(90 * KB, 'bytes'),
    }),
  ]
}
