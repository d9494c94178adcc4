// The inspector in a real Chromium, feature by feature: by mouse and by keyboard alone.

import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Locator, Page } from 'playwright-core'

import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import type { Lens } from '../../src/core/index.js'
import {
  addStory,
  drawn,
  INSPECTOR_FOLDER,
  shows,
  startInspector,
  STORY,
  type Inspector,
} from '../support/inspector.js'
import { sendWhileOpen } from '../../demo/story.mjs'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

const at = (query: string): string => `#/${STORY}?${query}`

test('the built page has nothing inline, names with a hash, and is small', () => {
  const html = fs.readFileSync(path.join(INSPECTOR_FOLDER, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=|https?:/)
  const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => file!)
  expect(files.map((file) => file.replace(/-[\w-]{8}\./, '-hash.'))).toEqual([
    'assets/index-hash.js',
    'assets/index-hash.css',
  ])
  const bytes = files.reduce(
    (sum, file) => sum + gzipSync(fs.readFileSync(path.join(INSPECTOR_FOLDER, file))).length,
    0,
  )
  expect(bytes).toBeLessThan(110_000)
})

describe('the timeline', () => {
  test('has a column for each call and one for the open cycle; a click chooses, and the address says so', async () => {
    const { page, done } = await inspector.open(`#/${STORY}`)
    await shows(page, '@c16')
    // Sixteen cycles, of which two were sent twice.
    await expect.poll(() => page.locator('#cycles').getByRole('option').count()).toBe(19)
    await page.locator('#col-c12').click()
    await shows(page, '@c12')
    expect(page.url()).toContain('?at=c12')
    await expect
      .poll(() => page.locator('#col-c12').getAttribute('aria-label'))
      .toMatch(/^Cycle 12: [\d,]+ tokens, prefix broken after/)
    await expect.poll(() => page.locator('.col .tick').count()).toBeGreaterThan(3)
    await done()
  })

  test('steps with keys: brackets from anywhere, arrows, Home and End in the timeline, b to a broken prefix, w to the open cycle', async () => {
    const { page, done } = await inspector.open(at('at=c8'))
    await shows(page, '@c8')
    const press = async (key: string, lens: string): Promise<void> => {
      await page.keyboard.press(key)
      await shows(page, lens)
    }
    await press('[', '@c7')
    await press(']', '@c8')
    await page.locator('#cycles').focus()
    await press('ArrowRight', '@c9')
    await press('ArrowLeft', '@c8')
    await press('Home', '@c1')
    await press('End', 'working')
    await page.locator('#col-c8').click()
    await shows(page, '@c8')
    await page.locator('body').press('b')
    await shows(page, '@c10')
    await press('w', 'working')
    expect(await page.evaluate('document.activeElement.id')).not.toBe('selector')
    await done()
  })

  test('plays, and pauses', async () => {
    const { page, done } = await inspector.open(at('at=c3'))
    await shows(page, '@c3')
    await page.locator('#tree').focus()
    await page.keyboard.press('Space')
    await expect.poll(() => page.url()).not.toContain('at=c3')
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1)
    await done()
  })
})

describe('sends', () => {
  const column = (page: Page, at: string): Locator => page.locator(`[id="col-${at}"]`)

  test('a cycle that was sent twice has two columns, each with its state, its prefix and its link', async () => {
    const { page, done } = await inspector.open(at('at=c2'))
    await shows(page, '@c2')
    await page.keyboard.press(']')
    await shows(page, 'attempt:4-0')
    expect(page.url()).toContain('?at=c3.4-0')
    await expect
      .poll(() => column(page, 'c3.4-0').getAttribute('aria-label'))
      .toMatch(/^Cycle 3, call 1 of 2: [\d,]+ tokens.*; failed$/)
    await expect.poll(() => column(page, 'c3.4-0').locator('.at .error').innerText()).toBe('×')
    const answer = page.locator('.answer')
    await answer.getByText('Attempt 1 of 2').waitFor()
    await expect
      .poll(() => answer.innerText())
      .toMatch(/Sent in cycle 3, call 1 of 2 @t-13[\s\S]*error[\s\S]*Changed since @c2/)
    await page.keyboard.press(']')
    await shows(page, '@c3')
    await expect.poll(() => column(page, 'c3').getAttribute('aria-label')).toMatch(/^Cycle 3, call 2 of 2: .*; sent$/)
    await expect
      .poll(() => answer.innerText())
      .toMatch(/Changed since attempt:4-0\s+Nothing\.[\s\S]*The same bytes as attempt:4-0/)
    // All of it is the same as in the call before.
    expect(await column(page, 'c3').locator('.stack i:not(.same)').count()).toBe(0)
    await page.keyboard.press(']')
    await shows(page, '@c4')
    await expect.poll(() => answer.innerText()).toContain('Changed since @c3')
    // The pane of the cycle leads to both.
    await page.keyboard.press('[')
    await shows(page, '@c3')
    await page.locator('.second').getByRole('button', { name: 'attempt:4-0' }).click()
    await shows(page, 'attempt:4-0')
    await page.locator('.second').getByRole('button', { name: '@c3' }).click()
    await shows(page, '@c3')
    await done()
  })

  test('what was sent while a cycle was open is shown as it was sent, and its snapshot where somebody asks for that', async () => {
    await addStory(inspector.store, 'sends')
    const ctx = await inspector.store.open('sends')
    sendWhileOpen(ctx, toOpenAIChat)
    const sent = ctx
      .attempts()
      .slice(-3)
      .map(({ attempt_id: id }) => id as Lens)
    const { page, done } = await inspector.open('#/sends?at=c16')
    await shows(page, '@c16')
    const answer = page.locator('.answer')
    // Still open: its sends come before the working state.
    await column(page, 'c17.17-1').waitFor()
    await page.keyboard.press(']')
    await shows(page, sent[0]!)
    await page.getByText('near the sea?').first().waitFor()
    await ctx.commit()
    await column(page, 'c17.17-3').waitFor()
    await expect.poll(() => column(page, 'c17').count()).toBe(0)
    await page.keyboard.press(']')
    await shows(page, sent[1]!)
    await expect.poll(() => answer.innerText()).toMatch(/Changed since attempt:17-1\s+1 new, 1 edited\./)
    const prefix = ctx.prefix(sent[0], sent[1], { for: toOpenAIChat })
    await answer.getByText('differs').waitFor()
    await expect.poll(() => answer.innerText()).toContain(`item ${prefix.first!.item} differs`)
    await expect.poll(() => page.locator('.trow.del').innerText()).toContain('near the sea?')
    // The request is the one that went out, byte for byte.
    await page.keyboard.press('3')
    await page.getByRole('radio', { name: 'as sent' }).waitFor()
    await page.getByRole('button', { name: 'Copy bytes' }).click()
    await page.getByText('The exact bytes that were sent are on the clipboard.').waitFor()
    const request = new TextDecoder().decode(ctx.requestOf(sent[1]!, { for: toOpenAIChat }))
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(request)
    await page.keyboard.press('1')
    await shows(page, sent[1]!)
    // Selectors ask the tree that was sent.
    await page.locator('#selector').fill("*[content~'near the']")
    await expect.poll(() => page.locator('#found').innerText()).toBe('1 match at attempt:17-2')
    await page.locator('#selector').fill('')
    await page.locator('#tree').press(']')
    await shows(page, sent[2]!)
    await expect.poll(() => answer.innerText()).toContain('All of attempt:17-2 is a prefix')
    await page.keyboard.press(']')
    await shows(page, 'working')
    await expect.poll(() => answer.innerText()).toContain('the same bytes as attempt:17-3')
    await page.goto(`${inspector.url}/#/sends?at=c17`)
    await shows(page, '@c17')
    await column(page, 'c17').waitFor()
    await expect
      .poll(() => answer.innerText())
      .toMatch(
        /Committed in cycle 17[\s\S]*Not sent itself: 3 attempts sent what was open[\s\S]*Changed since attempt:17-3\s+1 new\./,
      )
    await page.keyboard.press('[')
    await shows(page, sent[2]!)
    await expect.poll(() => column(page, 'c17').count()).toBe(0)
    await done()
  })

  test('if it is not known what was sent, the page says so, and leads to the snapshot', async () => {
    const ctx = await inspector.store.open('untold')
    ctx.user('one')
    ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).complete()
    ctx.assistant('two')
    await ctx.commit()
    const { page, done } = await inspector.open('#/untold?at=c1.1-0')
    await page.locator('.answer').getByText('What it sent is not known').waitFor()
    await page.locator('.state').getByRole('button', { name: '@c1' }).click()
    await shows(page, '@c1')
    await page.goto(`${inspector.url}/#/untold?at=c1.9-9`)
    await page.getByText('attempt:9-9 is not kept any more').waitFor()
    await expect.poll(() => page.url()).toMatch(/at=c1$/)
    await done()
  })
})

describe('the answer', () => {
  test('says what was sent, what changed and what broke the prefix; its words lead there', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    const answer = page.locator('.answer')
    // Each line comes with an answer of its own.
    for (const line of [
      /Sent in cycle 12 @t-4\s+\d+ items, [\d,]+ tokens, [\d.]+ KB\s+1 attempt: \d\d:\d\d:\d\d completed in 1\.1 s/,
      /Changed since @c11\s+2 new, 1 replaced\./,
      /Same bytes as @c11, for OpenAI Chat\s+\d+ % the same bytes, then item \d+ differs: block:6-3 superseded/,
    ]) {
      await expect.poll(() => answer.innerText()).toMatch(line)
    }
    await answer.getByRole('button', { name: '1 replaced' }).click()
    await page.locator('.chrow').first().waitFor()
    await expect.poll(() => page.locator('.chrow').allInnerTexts()).toEqual([expect.stringContaining('12-3')])
    await page.goBack()
    await answer.getByRole('button', { name: /item \d+ differs/ }).click()
    await page.locator('#first-difference').waitFor()
    await expect
      .poll(() => page.locator('#first-difference').innerText())
      .toMatch(/First difference\s+byte [\d,]+\s+block:6-3 superseded/)
    await done()
  })
})

describe('the tree', () => {
  test('marks what came, left and changed, with causes; what left keeps its place, above its heir', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    const rows = await page.locator('.trow.leaf').allInnerTexts()
    const old = rows.findIndex((row) => row.includes('Find trains on the 13th'))
    const heir = rows.findIndex((row) => row.includes('Train 6613 on the 13th'))
    expect(old).toBe(heir - 1)
    expect(rows[old]).toMatch(/^−\s*left[\s\S]*replaced/)
    expect(rows[heir]).toMatch(/^\+\s*new[\s\S]*#plan[\s\S]*pin[\s\S]*replaced/)
    await page.goto(`${inspector.url}/${at('at=c10')}`)
    await shows(page, '@c10')
    const redacted = page.locator('.trow.add').filter({ hasText: 'redacted' })
    await expect.poll(() => redacted.innerText()).toContain('redacted by privacy-bot: home address, date of birth')
    await page.getByLabel('show what left').uncheck()
    await expect.poll(() => page.locator('.trow.del').count()).toBe(0)
    await done()
  })

  test('is walked with arrows alone: rows, open, close, parent; * opens all; . goes to the next change', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    await page.locator('#tree').focus()
    const chosen = page.locator('.trow[aria-selected="true"]')
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('Home')
    await expect.poll(() => chosen.innerText()).toContain('^sys')
    await press('ArrowDown')
    await expect.poll(() => chosen.innerText()).toContain('#policy')
    await press('ArrowDown')
    await expect.poll(() => chosen.innerText()).toContain('^seq')
    await press('ArrowDown')
    await expect.poll(() => chosen.getAttribute('aria-expanded')).toBe('false')
    await press('ArrowRight')
    await expect.poll(() => chosen.getAttribute('aria-expanded')).toBe('true')
    await press('ArrowRight')
    await expect.poll(() => chosen.innerText()).toContain('Hi, I would like to travel a day later')
    await press('ArrowLeft')
    await expect.poll(() => chosen.getAttribute('aria-expanded')).toBe('true')
    await press('ArrowLeft')
    await expect.poll(() => chosen.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tree')
    await press('*')
    await expect.poll(() => page.locator('.trow.seg[aria-expanded="false"]').count()).toBe(0)
    await press('*', '.')
    await expect.poll(() => chosen.innerText()).toMatch(/[+−~]/)
    await done()
  })
})

describe('a node', () => {
  test('tells where it stands, why, its content, its life and its headers; ids are links; Esc goes back to the cycle', async () => {
    const { page, done } = await inspector.open(at('at=c12&node=block:12-3'))
    await shows(page, '@c12')
    const pane = page.locator('.second')
    await pane.getByText('It stands in for').waitFor()
    const words = await pane.innerText()
    expect(words).toContain('(d9, 1)')
    expect(words).toContain('It is pinned, so no budget takes it.')
    expect(words).toContain('Change it, voucher first')
    expect(words).toMatch(/Item \d+, bytes [\d,]+ to [\d,]+/)
    expect(words).toMatch(/supersedes\s+block:6-3/)
    await pane.locator('.why').getByRole('button', { name: 'block:6-3' }).click()
    await pane.getByText('Not in @c12.').waitFor()
    await expect.poll(() => pane.innerText()).toContain('Shown as in @c11')
    await page.locator('#tree').press('Escape')
    await pane.getByRole('heading', { name: 'Cycle 12' }).waitFor()
    await expect
      .poll(() => pane.innerText())
      .toMatch(
        /Attempts[\s\S]*Where the tokens sit[\s\S]*largest nodes[\s\S]*Pruning receipt[\s\S]*Schedules\s+#confirm returns every 6 cycles, next in cycle 13\./,
      )
    await done()
  })

  test('life is a cell for each cycle, and a cell leads there', async () => {
    const { page, done } = await inspector.open(at('at=c11&node=block:11-3'))
    await shows(page, '@c11')
    const cells = page.locator('.life button')
    await cells.first().waitFor()
    await expect.poll(() => cells.count()).toBe(17)
    await expect
      .poll(() => cells.allInnerTexts())
      .toEqual([...Array<string>(10).fill(''), '3', '2', '1', '', '', '', ''])
    await page.getByRole('button', { name: '@c13: there' }).click()
    await shows(page, '@c13')
    await done()
  })
})

describe('the selector bar', () => {
  test('an error stands under the field with carets and a fix; matches are counted, marked and stepped through', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    await page.keyboard.press('/')
    await page.keyboard.type(':cor .block')
    await page.locator('.pop [role="alert"]').waitFor()
    await expect.poll(() => page.locator('.pop pre').innerText()).toBe(':cor .block\n^^^^')
    await expect.poll(() => page.locator('#found').innerText()).toBe('not a selector')
    await page.getByRole('button', { name: 'Write :core' }).click()
    await expect.poll(() => page.locator('#selector').inputValue()).toBe(':core .block')
    await page.locator('#selector').fill('+rag')
    await expect.poll(() => page.locator('#found').innerText()).toBe('2 matches at @c12')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.trow.match').count()).toBe(2)
    expect(page.url()).toContain('q=%2Brag')
    await page.locator('#tree').focus()
    await page.keyboard.press('n')
    const chosen = page.locator('.trow[aria-selected="true"]')
    await expect.poll(() => chosen.innerText()).toContain('#kb-')
    const first = await chosen.innerText()
    await page.keyboard.press('N')
    await expect.poll(() => chosen.innerText()).not.toBe(first)
    await page.getByLabel('only matches').check()
    await expect.poll(() => page.locator('.trow.leaf').count()).toBe(2)
    await done()
  })

  test('Enter before the answer is there goes to a match of what was written last', async () => {
    const { page, done } = await inspector.open(at('at=c12&q=%2Brag'))
    await shows(page, '@c12')
    await page.locator('#found').getByText('2 matches').waitFor()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/select', async (route) => {
      if (route.request().postData()?.includes('#plan') === true) await held
      await route.continue()
    })
    await page.locator('#selector').fill('#plan')
    await page.keyboard.press('Enter')
    await drawn(page)
    expect(page.url()).not.toContain('node=')
    release()
    await expect.poll(() => page.locator('.trow[aria-selected="true"]').innerText()).toContain('#plan')
    await done()
  })

  test('completes what the tree has, with counts; an unfinished end is no error', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    await page.keyboard.press('/')
    await page.keyboard.type('#kb')
    const options = page.locator('#offers [role="option"]')
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([expect.stringMatching(/#kb-cancel\s+key\s+1/), expect.stringMatching(/#kb-payment\s+key\s+1/)])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#selector').inputValue()).toBe('#kb-payment')
    await page.keyboard.type('[')
    await expect.poll(() => page.locator('#found').innerText()).toBe('unfinished')
    expect(await page.locator('.pop [role="alert"]').count()).toBe(0)
    await done()
  })

  test('a range opens lanes aligned with the timeline, and the diffs between snapshots', async () => {
    const { page, done } = await inspector.open(at('at=c12'))
    await shows(page, '@c12')
    await page.keyboard.press('/')
    await page.keyboard.type('@history [ttl]')
    await page.keyboard.press('Enter')
    await page.locator('.lane:not(.head)').first().waitFor()
    await expect.poll(() => page.locator('#found').innerText()).toBe('16 changes in 16 snapshots')
    await expect.poll(() => page.locator('#tab-range .cnt').innerText()).toBe('16')
    const lanes = page.locator('.lane:not(.head)')
    await expect.poll(() => lanes.count()).toBe(6)
    await expect
      .poll(async () => (await lanes.nth(3).innerText()).split('\n'))
      .toEqual([expect.stringMatching(/^A journey can use one voucher/), 'block:11-3 #kb-payment', '3', '2', '1'])
    const [column, cell] = await Promise.all([
      page.locator('#col-c12').boundingBox(),
      lanes.nth(3).locator('.cells .cur').boundingBox(),
    ])
    expect(Math.abs((column?.x ?? 0) - (cell?.x ?? 99))).toBeLessThan(2)
    await expect.poll(() => page.locator('.blk').first().innerText()).toMatch(/@c14 from @c13/)
    await done()
  })
})

describe('compare', () => {
  test('groups changes, takes causes away, shows both sides; redacted text is covered', async () => {
    const { page, done } = await inspector.open(at('at=c12&view=compare&from=c5'))
    await page.locator('.chrow').first().waitFor()
    await expect.poll(() => page.locator('.grp').allInnerTexts()).toEqual(['Redacted', 'Replaced', 'Came'])
    await expect.poll(() => page.locator('#col-c5').getAttribute('class')).toContain('base')
    const detail = page.locator('.second')
    await detail.getByText('by privacy-bot: home address, date of birth').waitFor()
    expect(await detail.getByText('Harbour Lane').isVisible()).toBe(false)
    await detail.getByText(/Show the redacted text/).click()
    expect(
      await detail
        .getByText(/Harbour Lane/)
        .first()
        .isVisible(),
    ).toBe(true)
    await page.locator('#changes').focus()
    await page.keyboard.press('ArrowDown')
    await detail.locator('ins').first().waitFor()
    await expect.poll(() => detail.locator('ins').allInnerTexts()).toContain(': NW7K2Q')
    await page.getByRole('button', { name: /^new \d+/ }).click()
    await expect.poll(() => page.locator('.grp').allInnerTexts()).toEqual(['Redacted', 'Replaced'])
    await page.getByLabel('from').selectOption('c11')
    await expect.poll(() => page.locator('.grp').allInnerTexts()).toEqual(['Replaced'])
    await done()
  })
})

describe('the request', () => {
  test('is the exact bytes of the library, for every format', async () => {
    const { page, done } = await inspector.open(at('at=c12&view=request'))
    await page.locator('.ritem').first().waitFor()
    await expect.poll(() => page.getByRole('radio', { name: 'OpenAI Chat' }).getAttribute('aria-checked')).toBe('true')
    for (const name of ['Anthropic', 'Gemini', 'thread']) {
      await page.getByRole('radio', { name, exact: true }).click()
      await expect.poll(() => page.getByRole('radio', { name, exact: true }).getAttribute('aria-checked')).toBe('true')
      const format = name.toLowerCase()
      const expected = await page.evaluate(async (format) => {
        const answer = await fetch(`/v1/contexts/rail%2Fbooking-7/render?for=${format}&lens=@c12`)
        return ((await answer.json()) as { text: string }).text
      }, format)
      const bytes = Buffer.byteLength(expected).toLocaleString('en')
      await page.locator('.fmts').getByText(`${bytes} bytes`).waitFor()
      await page.getByRole('button', { name: 'Copy bytes' }).click()
      await page.getByText(`The bytes for ${name} are on the clipboard.`).waitFor()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(expected)
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('rail-booking-7-c12-thread.json')
    await done()
  })

  test('says where cache marks would stand, and which of them a cache can read', async () => {
    const { page, done } = await inspector.open(at('at=c12&view=request&as=anthropic'))
    await page
      .getByText(/With cache: true there (?:is|are) \d breakpoints?: \d can be read, \d will be written/)
      .waitFor()
    const marks = await page.evaluate(async () => {
      const options = encodeURIComponent('{"cache":true}')
      const answer = await fetch(`/v1/contexts/rail%2Fbooking-7/render?for=anthropic&lens=@c12&options=${options}`)
      return ((await answer.json()) as { breakpoints: object[] }).breakpoints.length
    })
    expect(marks).toBeGreaterThan(1)
    await page.getByText(`there are ${marks} breakpoints`).waitFor()
    await page.locator('#items').evaluate((items) => items.scrollTo(0, items.scrollHeight))
    await page.getByText('Cache breakpoint').first().waitFor()
    await done()
  })

  test('shows what is the same, the first difference, and what is missing where it stood', async () => {
    const { page, done } = await inspector.open(at('at=c13&view=request&as=anthropic'))
    await page.locator('#first-difference').waitFor()
    // The lower parts come with other answers.
    const around = async (): Promise<readonly (string | undefined)[]> => {
      const rows = await page.locator('.vrow').allInnerTexts()
      const rule = rows.findIndex((row) => row.startsWith('First difference'))
      return [rows[rule], rows[rule + 1]]
    }
    await expect
      .poll(around)
      .toEqual([
        expect.stringMatching(
          /byte [\d,]+\s+block:\d+-\d+ pruned in cycle 13 \(maxTokens \^seq\), so the [\d,]+ tokens below cannot be read from a cache/,
        ),
        expect.stringMatching(/^−\s+block:\d+-\d+\s+pruned; was item \d+ of @c12/),
      ])
    await expect.poll(() => page.locator('.ritem.same').count()).toBeGreaterThan(3)
    await expect.poll(() => page.locator('.where.whole .mark.fd').count()).toBe(1)
    await page.locator('#items').focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('.ritem[aria-current="true"]').waitFor()
    await page.getByRole('radio', { name: 'Anthropic' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.url()).toContain('as=gemini')
    await done()
  })
})

describe('links', () => {
  test('a link opens the same place again; another view is an entry in the history, a step is none', async () => {
    const first = await inspector.open(at('at=c12'))
    await shows(first.page, '@c12')
    await first.page.keyboard.press('[')
    await shows(first.page, '@c11')
    await first.page.keyboard.press('3')
    await first.page.locator('.ritem').first().waitFor()
    await first.page.getByRole('radio', { name: 'Anthropic' }).click()
    await first.page.keyboard.press('y')
    await first.page.getByText('Link copied.').waitFor()
    const link = await first.page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).toBe(`${inspector.url}/${at('at=c11&view=request&as=anthropic')}`)
    await first.page.goBack()
    await shows(first.page, '@c11')
    await first.done()
    const again = await inspector.open(link.slice(inspector.url.length + 1))
    await again.page.locator('.ritem').first().waitFor()
    await expect
      .poll(() => again.page.getByRole('radio', { name: 'Anthropic' }).getAttribute('aria-checked'))
      .toBe('true')
    await expect.poll(() => again.page.locator('#col-c11').getAttribute('aria-selected')).toBe('true')
    await again.done()
  })

  test('the one-time link sets a cookie, and works once', async () => {
    const { link, url } = await inspector.serve(inspector.store)
    const context = await inspector.browser.newContext()
    const page = await context.newPage()
    await page.goto(link)
    await page.locator('.ctxrow, #tree').first().waitFor()
    expect(page.url()).toMatch(new RegExp(`^${url}/`))
    expect((await context.cookies()).map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: 'Strict' },
    ])
    await context.close()
    const other = await inspector.browser.newContext()
    const locked = await other.newPage()
    expect((await locked.goto(link))?.status()).toBe(401)
    expect(await locked.locator('#tree').count()).toBe(0)
    await other.close()
  })
})

test('? shows the keys, Esc closes; single keys are off while typing', async () => {
  const { page, done } = await inspector.open(at('at=c12'))
  await shows(page, '@c12')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => page.getByRole('dialog').innerText()).toContain('next call that broke the prefix')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('/')
  await page.locator('#selector:focus').waitFor()
  await page.keyboard.type('w[')
  await expect.poll(() => page.locator('#selector').inputValue()).toBe('w[')
  expect(page.url()).toContain('at=c12')
  await done()
})
