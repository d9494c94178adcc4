// Recorded conversations through every adapter: imported in their own format, sent in all.

import { readRecordings } from '../../test/recordings/read.mjs'
import { requestOptions, unchanged } from './changes.mjs'
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
 * @param {Readonly<{ steps: string, recordings: number, changes: import('./changes.mjs').Changes }>} settings
 * @param {import('./play.mjs').Counts & { recordings: number, unread: number }} counts
 */
export function playRecordings(builds, { steps, recordings, changes }, counts) {
  const differences = []
  for (const { file, line, record } of readRecordings().slice(0, recordings)) {
    const reader = READERS[record.format]
    if (reader === undefined) {
      counts.unread++
      continue
    }
    counts.recordings++
    const [format, requestOf] = reader
    const response = isCompared(builds[0], format, requestOf(record), record.response, changes)
      ? record.response
      : undefined
    const [before, after] = builds.map((build, side) =>
      rendered({ build, changes, isSecond: side === 1 }, format, requestOf(record), response, steps),
    )
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

function rendered({ build, changes, isSecond }, format, request, response, steps) {
  const parts = []
  const see = (name, run) => {
    try {
      parts.push([name, show(run())])
    } catch (error) {
      parts.push([name, showError(error)])
    }
  }
  const sent = (options) => requestOptions(options, changes, isSecond)
  let now = 1_700_000_000_000_000_000n
  let ctx
  see('import', () => {
    ctx = build.adapters[format].from(request, { id: 'recorded', clock: () => (now += 1n) })
    return [exportsOf(ctx, '@t0'), ctx.threadBytes()]
  })
  if (ctx === undefined) return { parts, excluded: 0 }
  if (response !== undefined)
    see('reply', () => [
      unchanged('receive', build.adapters[format].receive(ctx, response), changes),
      exportsOf(ctx, 'working'),
    ])
  if (steps !== 'all' && hasCrossing(ctx, 'preview')) return { parts, excluded: FORMATS.length }
  for (const to of FORMATS) {
    see(`request for ${to}`, () => requestFacts(build.adapters[to].to(ctx, sent())))
    see(`request for ${to} as held`, () =>
      requestFacts(build.adapters[to].to(ctx, sent({ repair: false, cache: to !== 'gemini' }))),
    )
  }
  return { parts, excluded: 0 }
}

/** False if the first build adds nothing for this reply, and a change says that the second may. */
function isCompared(build, format, request, response, changes) {
  if (response === undefined || !changes.has('empty-replies')) return true
  const { from, receive } = build.adapters[format]
  try {
    return receive(from(request, { id: 'recorded' }), response).nodes.length > 0
  } catch {
    return true
  }
}

function given(value) {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
}
