// The advice about a selector that found nothing.

import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

test('a long text is cut in the warning, and told once', () => {
  const ctx = createContext()
  const selector = `.user[content='${'x'.repeat(5000)}']`
  for (let i = 0; i < 2; i++) expect(ctx.select(selector)).toEqual([])
  expect(ctx.warnings).toHaveLength(1)
  expect(ctx.warnings[0]!.message.length).toBeLessThan(500)
  expect((ctx.warnings[0]!.details['selector'] as string).length).toBeLessThan(250)
})

test.each([
  ['select', (ctx) => ctx.select('.user')],
  ['nodes', (ctx) => ctx.nodes('.user')],
  ['count', (ctx) => ctx.count('.user')],
  ['first', (ctx) => ctx.first('.user')],
  ['iterate', (ctx) => [...ctx.iterate('.user')]],
  ['diff', (ctx) => ctx.diff('working', 'working', '.user')],
  ['diffDetailed', (ctx) => ctx.diffDetailed('working', 'preview', '.user')],
] satisfies [string, (ctx: ReturnType<typeof createContext>) => unknown][])(
  '%s warns of an answer that is empty',
  (_name, ask) => {
    const ctx = createContext()
    ctx.user('u')
    ask(ctx)
    expect(ctx.warnings).toMatchObject([{ details: { selector: '.user' } }])
    ctx.add('x', { nodeType: 'user' })
    ask(ctx)
    expect(ctx.warnings).toHaveLength(1)
  },
)

test('a range without changes warns of a selector that finds nothing in it, and not of one that finds a node', () => {
  const ctx = createContext()
  ctx.add('x', { nodeType: 'usr' })
  for (let i = 0; i < 3; i++) ctx.commit()
  ctx.select('@c2..@c3 .usr')
  ctx.diff('@c2', '@c3', '.usr')
  expect(ctx.warnings.filter(({ details }) => 'selector' in details)).toEqual([])
  ctx.select('@c2..@c3 .user')
  ctx.rangeDiffLatest('@c2..@c3 .blok')
  const advice = [`a role is .block[role='user']`, 'Did you mean ".block"?']
  expect(ctx.warnings.flatMap(({ message, details }) => ('selector' in details ? [message] : []))).toEqual(
    advice.map((each) => expect.stringContaining(each)),
  )
})
