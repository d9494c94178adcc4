// Recorded conversations through every adapter: imported in their own format, sent in all.

import { readRecordings } from '../../test/recordings/read.mjs'
import { exportsOf, hasCrossing } from './observe.mjs'
import { requestFacts, show, showError } from './show.mjs'
import { FORMATS } from './talks.mjs'

const READERS = {
  'openai-chat': ['openai-chat', ({ messages }) => ({ messages })],
  'openai-responses': ['openai-responses', ({ instructions, messages }) => given({ instructions, input: messages })],
  anthropic: ['anthropic', ({ system, messages }) => given({ system, messages })],
  'google-gemini': ['gemini', ({ systemInstruction, messages }) => given({ systemInstruction, contents: messages })],
}

/**
 * The differences, one for each recording that has any.
 * @param {readonly [any, any]} builds
 * @param {Readonly<{ steps: string, limit: number }>} settings
 * @param {import('./play.mjs').Counts & { recordings: number }} counts
 */
export function playRecordings(builds, { steps, limit }, counts) {
  const differences = []
  for (const { file, line, record } of readRecordings('').slice(0, limit)) {
    const reader = READERS[record.format]
    if (reader === undefined) continue
    counts.recordings++
    const [format, requestOf] = reader
    const [before, after] = builds.map((build) => rendered(build, format, requestOf(record), record.response, steps))
    counts.excluded += before.excluded
    counts.compared += before.parts.length
    const at = before.parts.findIndex(([, value], index) => value !== after.parts[index]?.[1])
    if (at >= 0) {
      const where = `recording ${file}:${line}, ${before.parts[at][0]}`
      differences.push({ where, before: before.parts[at][1], after: after.parts[at]?.[1] ?? 'nothing', calls: [] })
    }
  }
  return differences
}

function rendered(build, format, request, response, steps) {
  const parts = []
  const see = (name, run) => {
    try {
      parts.push([name, show(run())])
    } catch (error) {
      parts.push([name, showError(error)])
    }
  }
  let now = 1_700_000_000_000_000_000n
  let ctx
  see('import', () => {
    ctx = build.adapters[format].from(request, { id: 'recorded', clock: () => (now += 1n) })
    return [exportsOf(ctx, '@t0'), ctx.threadBytes()]
  })
  if (ctx === undefined) return { parts, excluded: 0 }
  if (response !== undefined)
    see('reply', () => [build.adapters[format].receive(ctx, response), exportsOf(ctx, 'working')])
  if (steps !== 'all' && hasCrossing(ctx, 'preview')) return { parts, excluded: FORMATS.length }
  for (const to of FORMATS) {
    see(`request for ${to}`, () => requestFacts(build.adapters[to].to(ctx)))
    see(`request for ${to} as held`, () =>
      requestFacts(build.adapters[to].to(ctx, { repair: false, cache: to !== 'gemini' })),
    )
  }
  return { parts, excluded: 0 }
}

function given(value) {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
}
