// What a cycle was, told one after another: each tree is rendered once.

import { expect, test } from 'vitest'

import { createContext } from '../index.js'
import { cycleFacts, LastRendering } from './cycle-facts.js'
import type { Render } from './prefix.js'

/** Counts what is really rendered. */
class Counted extends LastRendering {
  readonly #render = new WeakMap<Render, Render>()
  rendered = 0

  override of(...[view, render]: Parameters<LastRendering['of']>): ReturnType<Render> {
    let counted = this.#render.get(render)
    if (counted === undefined) {
      counted = (each) => {
        this.rendered++
        return render(each)
      }
      this.#render.set(render, counted)
    }
    return super.of(view, counted)
  }
}

test('of cycles one after another each tree is rendered once, and the facts are those of each by itself', () => {
  const ctx = createContext()
  for (let turn = 1; turn <= 5; turn++) {
    ctx.post(`Doc ${turn}`, { key: 'kb', ttl: 1 })
    ctx.user(`Question ${turn}`)
    ctx.commit()
  }
  const last = new Counted()
  for (let cycle = 1; cycle <= 5; cycle++) {
    const before = cycle === 1 ? undefined : (`@c${cycle - 1}` as const)
    expect(cycleFacts(ctx, `@c${cycle}`, before, {}, last)).toEqual(cycleFacts(ctx, `@c${cycle}`, before))
  }
  expect(last.rendered).toBe(5)
})
