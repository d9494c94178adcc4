// Promises of the inspector on every screen and for every text: large enough to be touched where it is narrow, and unmoved by texts
// that would like to run, turn the page around or fill it.

import fs from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

describe('on a narrow page', () => {
  test('the node is a sheet that closes, targets are large enough, inputs do not zoom', async () => {
    const { page, done } = await inspector.open(`#/${STORY}?at=c12`, { width: 390, height: 844 })
    await shows(page, '@c12')
    expect(await page.locator('.second').isVisible()).toBe(false)
    await page.locator('.trow.leaf').filter({ hasText: 'Train 6613' }).click()
    await page.locator('.second').getByText('It is pinned').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.locator('.second').isVisible()).toBe(false)
    // A link to a node shows it, also where the page is open already.
    await page.goto(`${inspector.url}/#/${STORY}?at=c12&node=block:12-3`)
    await page.locator('.second').getByText('It is pinned').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.locator('.second').isVisible()).toBe(false)
    const small = await page.evaluate<string[]>(`
      [...document.querySelectorAll('.top button, .play button, .tabs button, .tools button')]
        .map((each) => [each.textContent || each.ariaLabel, each.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0 && (box.width < 30 || box.height < 36))
        .map(([name, box]) => name + ' ' + box.width + 'x' + box.height)`)
    expect(small).toEqual([])
    await expect
      .poll(() => page.evaluate("getComputedStyle(document.getElementById('selector')).fontSize"))
      .toBe('16px')
    await done()
  })
})

const XSS = `"><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>'\`javascript:alert(4)`
const BIDI = '\u202Eesrever\u2066\u2069 \u200Fright\u200E'
const LONE = 'lone \uD800 and \uDFFF'
const HOSTILE = [XSS, BIDI, LONE, '__proto__', '\u0000\u2028\u2029', 'https://outside.example/pixel.png']

describe('hostile texts', () => {
  test('in every field and every view: no dialog, no report, no request to elsewhere, the layout intact', async () => {
    const id = `safe/${XSS.slice(0, 40)}`
    const ctx = await inspector.store.create(id)
    for (const [i, text] of HOSTILE.entries()) {
      const header = {
        tags: [`tag${i} ${text}`.slice(0, 60)],
        role: text.slice(0, 40),
        data_name: text,
        [`data_${'x'.repeat(i + 1)}`]: text,
      }
      ctx.add(text, { ...header, zone: 'core' })
      ctx.assistant({ name: text, arguments: text }, { kind: 'call', data_call_id: text, data_name: text })
      ctx.tool(text, { kind: 'result', data_call_id: text, data_name: text })
      ctx.post(text, { key: `key${i} ${text}`.slice(0, 60), ttl: 2 })
      await ctx.commit()
      ctx
        .startAttempt({ provider: text, model: text, params: {}, lens: '@t0' })
        .fail(Object.assign(new Error(text), { name: 'Hostile' }))
    }
    ctx.delete("*[content~'esrever']", { author: XSS, reason: XSS })
    await ctx.commit()
    const hash = `#/${encodeURIComponent(id)}`
    const { page, done } = await inspector.open(hash, {})
    await shows(page, '@c7')
    const width = await page.evaluate<number>('innerWidth')
    const intact = async (): Promise<void> => {
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await page.evaluate("document.querySelectorAll('img, script:not([type=module]), iframe').length")).toBe(0)
    }
    await page.locator('#tree').press('*')
    const rows = page.locator('.trow.leaf')
    await expect.poll(() => rows.count()).toBeGreaterThan(12)
    for (let i = 0; i < (await rows.count()); i += 3) {
      await rows.nth(i).click()
      await page.locator('.second .dl').waitFor()
    }
    await intact()
    for (const view of ['compare', 'request', 'request&as=anthropic', 'request&as=gemini', 'request&as=thread']) {
      await page.goto(`${inspector.url}/${hash}?at=c7&view=${view}`)
      await page.locator('.chrow, .ritem').first().waitFor()
      await intact()
    }
    await page.goto(`${inspector.url}/${hash}?at=c6&q=${encodeURIComponent('@history [ttl]')}&view=range`)
    await page.locator('.lane b').first().waitFor()
    await page.goto(`${inspector.url}/${hash}?at=c6&node=${encodeURIComponent(XSS)}&q=${encodeURIComponent(XSS)}`)
    await page.locator('#found').getByText('not a selector').waitFor()
    await page.locator('#selector').focus()
    await page.locator('.pop').waitFor()
    await intact()
    await page.locator('#selector').fill('#')
    await page.locator('#offers').waitFor()
    await intact()
    await done()
  })

  test('10 MB in one node: rows stay short, the pane shows a part, and the rest on demand', async () => {
    const ctx = await inspector.store.create('safe/large')
    const line = 'All work and no play makes a very long content. '
    ctx.user(line.repeat(220_000), { key: 'book' })
    ctx.assistant('short')
    await ctx.commit()
    ctx.replace('#book', { content: `${line.repeat(220_000)}The end.` })
    await ctx.commit()
    const { page, done } = await inspector.open('#/safe/large?at=c2')
    await shows(page, '@c2')
    await page.locator('.trow.leaf').filter({ hasText: '#book' }).last().click()
    const content = page.locator('.content')
    await content.waitFor()
    expect((await content.innerText()).length).toBeLessThan(70_000)
    await page.getByRole('button', { name: /Show 1\.0 MB of 10\.\d MB/ }).click()
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('.content').textContent.length"))
      .toBe(1_000_000)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.second').getByRole('button', { name: 'Save', exact: true }).click(),
    ])
    expect(fs.statSync(await saved.path()).size).toBe(line.length * 220_000 + 'The end.'.length)
    await page.locator('#tree').press('3')
    await page.locator('.ritem').first().waitFor()
    expect((await page.locator('#items').innerText()).length).toBeLessThan(50_000)
    await page.locator('#items').press('2')
    await page.locator('.side').waitFor()
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(1280)
    await done()
  })
})
