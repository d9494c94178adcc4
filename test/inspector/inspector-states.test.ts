// The inspector when something happens: edits and what becomes of them, commits from elsewhere, a server that is gone, slow, locked or
// read-only, contexts with nothing or with a great deal in them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page, Route } from 'playwright-core'

import { createContext } from '../../src/context/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { inspect } from '../../src/server/index.js'
import { openStore } from '../../src/store/index.js'
import {
  addStory,
  drawn,
  INSPECTOR_FOLDER,
  shows,
  startInspector,
  TOKEN,
  type Inspector,
} from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

/** A context of its own for a test that writes. */
async function story(id: string): Promise<string> {
  await addStory(inspector.store, id)
  return `#/${id}`
}

/** A note by keys alone; it is tried on the server, and is in the tree afterwards. */
async function note(page: Page, text: string): Promise<void> {
  await page.locator('#tree').press('i')
  await page.locator('#edit textarea').fill(text)
  await page.keyboard.press('Control+Enter')
  await page.locator('.trow.add').getByText(text).waitFor()
}

/** Something to wait for that somebody else brings about. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describe('edits', () => {
  test('insert, replace and redact by keys: the call is shown, the answer says what it costs, undo takes back, commit commits', async () => {
    const { page, done } = await inspector.open(`${await story('edits')}?at=working`)
    await shows(page, 'working')
    await page.keyboard.press('i')
    await page.locator('#edit textarea').waitFor()
    await page.keyboard.type('The fare is for each passenger.')
    await page.locator('#edit input[name="key"]').fill('hint')
    await page.locator('#edit input[name="ttl"]').fill('x')
    await page.keyboard.press('Control+Enter')
    await page.locator('#edit [role="alert"]').waitFor()
    await expect.poll(() => page.locator('#edit [role="alert"]').innerText()).toContain('E_TTL_INVALID')
    await page.locator('#edit input[name="ttl"]').fill('2')
    await expect
      .poll(() => page.locator('#edit pre').innerText())
      .toBe(`ctx.insert({"content":"The fare is for each passenger.","key":"hint","ttl":2}, '(d0, end)')`)
    await page.keyboard.press('Control+Enter')
    await page.locator('.trow.add').getByText('#hint').waitFor()
    await page.locator('.answer').getByText('All of @c16 is a prefix').waitFor()

    const plan = page.locator('.trow.leaf').filter({ hasText: '#plan' })
    await page.locator('.trow.seg').filter({ hasText: '#plan' }).locator('.tw').click()
    await plan.click()
    await page.keyboard.press('e')
    await expect.poll(() => page.locator('#edit textarea').inputValue()).toContain('Train 6613')
    await page.locator('#edit textarea').fill('Plan: done')
    await page.getByRole('button', { name: 'Replace', exact: true }).last().click()
    await page.locator('.trow.add').getByText('Plan: done').waitFor()
    await page
      .locator('.answer')
      .getByText(/% the same bytes, then/)
      .waitFor()
    await expect
      .poll(() => page.locator('.answer').innerText())
      .toMatch(/2 calls since @c16[\s\S]*If sent now, the same bytes as @c16/)

    await Promise.all([page.getByText('Taken back.').waitFor(), page.locator('#tree').press('u')])
    await page.locator('.answer').getByText('All of @c16 is a prefix').waitFor()
    await plan.click()
    await page.keyboard.press('x')
    await page.locator('#edit input[name="reason"]').fill('old')
    await page.keyboard.press('Control+Enter')
    await page.locator('.trow.leaf').filter({ hasText: 'redacted' }).last().waitFor()
    // The story has another redaction: the edit is accepted once it is counted.
    await page.locator('.answer').getByText('2 calls').waitFor()

    // A reload loses no edit.
    await page.reload()
    await shows(page, 'working')
    await page.locator('.answer').getByText('2 calls').waitFor()
    await Promise.all([page.getByText('Committed cycle 17.').waitFor(), page.locator('#tree').press('Control+Enter')])
    await shows(page, '@c17')
    await expect.poll(() => page.locator('.answer').innerText()).toMatch(/Changed since @c16\s+1 new, 1 redacted\./)
    const ctx = await inspector.store.open('edits')
    expect(ctx.first('#hint')?.content).toBe('The fare is for each passenger.')
    expect(ctx.first('#plan')).toBeUndefined()
    await done()
  })

  test('a snapshot never changes: only a fork is offered, and it is another context', async () => {
    const { page, done } = await inspector.open(`${await story('forked')}?at=c9`)
    await shows(page, '@c9')
    await page.keyboard.press('i')
    await page.getByText(/A snapshot never changes: go to the working state/).waitFor()
    await page.keyboard.press('f')
    await page.locator('#edit input[name="id"]').waitFor()
    await page.keyboard.type('forked/try')
    await expect.poll(() => page.locator('#edit pre').innerText()).toBe(`ctx.fork('@c9', {"id":"forked/try"})`)
    await page.keyboard.press('Enter')
    await shows(page, '@c9')
    await expect.poll(() => page.url()).toContain('#/forked/try?at=c9')
    await expect.poll(() => page.locator('.pick').innerText()).toContain('forked/try')
    expect((await inspector.store.open('forked/try')).cycle).toBe(10)
    await done()
  })
})

test('what is taken back while another edit is on its way stays taken back', async () => {
  const { page, done } = await inspector.open(`${await story('undone')}?at=working`)
  await shows(page, 'working')
  await note(page, 'first')
  const { opened, open } = gate()
  const asked = gate()
  await page.locator('#tree').press('i')
  await page.locator('#edit textarea').fill('second')
  await page.route('**/preview', async (route) => {
    const isAdded = route.request().postData()?.includes('second') === true
    if (isAdded) asked.open()
    if (isAdded) await opened
    await route.continue()
  })
  await page.keyboard.press('Control+Enter')
  await asked.opened
  await page.getByRole('button', { name: /^Undo/ }).first().click()
  await page.locator('.answer').getByText('0 calls').waitFor()
  open()
  await page.locator('.trow.add').getByText('second').waitFor()
  await page.locator('.answer').getByText('1 call').waitFor()
  expect(await page.locator('.trow.add').getByText('first').count()).toBe(0)
  await done()
})

describe('a commit of the page', () => {
  test('that is heard of before it is answered is no conflict', async () => {
    const { page, done } = await inspector.open(`${await story('heard')}?at=working`)
    await shows(page, 'working')
    await note(page, 'mine')
    const { opened, open } = gate()
    await page.route('**/commit', async (route) => {
      const response = await route.fetch()
      await opened
      await route.fulfill({ response })
    })
    await page.locator('#tree').press('Control+Enter')
    await page.locator('#col-c17').waitFor()
    await drawn(page)
    expect(await page.locator('.banner').count()).toBe(0)
    open()
    await shows(page, '@c17')
    expect((await inspector.store.open('heard')).cycle).toBe(18)
    await done()
  })

  test('leaves what was written since it was asked', async () => {
    const { page, done } = await inspector.open(`${await story('since')}?at=working`)
    await shows(page, 'working')
    await note(page, 'first')
    const { opened, open } = gate()
    await page.route('**/commit', async (route) => {
      await opened
      await route.continue()
    })
    await page.locator('#tree').press('Control+Enter')
    await note(page, 'second')
    open()
    await shows(page, '@c17')
    await page.locator('#tree').press('w')
    await shows(page, 'working')
    await page.locator('.answer').getByText('1 call').waitFor()
    await page.locator('.trow.add').getByText('second').waitFor()
    await page.locator('#tree').press('Control+Enter')
    await shows(page, '@c18')
    const ctx = await inspector.store.open('since')
    expect(ctx.nodes("*[content='first'], *[content='second']")).toHaveLength(2)
    await done()
  })

  test('whose answer is lost is made once', async () => {
    const { page, done } = await inspector.open(`${await story('lost')}?at=working`)
    await shows(page, 'working')
    await note(page, 'once')
    const loseOnce = async (route: Route): Promise<void> => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/commit', loseOnce, { times: 1 })
    await page.locator('#tree').press('Control+Enter')
    // The page asks again at once or after a while, without any action of the user.
    await page.locator('#col-c17').waitFor()
    await page.locator('.answer').getByText('0 calls').waitFor()
    await expect.poll(() => page.locator('.banner').count()).toBe(0)
    const ctx = await inspector.store.open('lost')
    expect([ctx.cycle, ctx.nodes("*[content='once']").length]).toEqual([18, 1])
    await done()
  })
})

describe('others', () => {
  test('what is committed before the line stands is seen once it does', async () => {
    const hash = await story('early')
    const { page, done } = await inspector.open('#/nowhere')
    // The page also looks by itself now and then, which is not what this is about.
    await page.addInitScript(
      'const set = setInterval; globalThis.setInterval = (run, time) => (time >= 5000 ? 0 : set(run, time))',
    )
    const { opened, open } = gate()
    await page.route('**/events', async (route) => {
      await opened
      await route.continue()
    })
    await page.goto('about:blank')
    await page.goto(`${inspector.url}/${hash}`)
    await shows(page, '@c16')
    const ctx = await inspector.store.open('early')
    ctx.user('Before anybody listened.')
    await ctx.commit()
    open()
    await shows(page, '@c17')
    expect(page.url()).toContain('at=c17')
    await done()
  })

  test('an answer that is overtaken by a later one takes nothing back', async () => {
    const hash = await story('overtaken')
    const { page, done } = await inspector.open(hash)
    await shows(page, '@c16')
    const { opened, open } = gate()
    const asked = gate()
    const late = async (route: Route): Promise<void> => {
      const response = await route.fetch()
      asked.open()
      await opened
      await route.fulfill({ response })
    }
    const ctx = await inspector.store.open('overtaken')
    const commit = async (text: string): Promise<void> => {
      ctx.user(text)
      await ctx.commit()
    }
    await page.route(/\/timeline\?from=16$/, late, { times: 1 })
    await commit('seventeen')
    await asked.opened
    await commit('eighteen')
    await shows(page, '@c18')
    const answered = page.waitForResponse(/\/timeline\?from=16$/)
    open()
    await answered
    await drawn(page)
    expect(await page.locator('.answer h2').first().innerText()).toContain('Committed in cycle 18 @t0')
    await done()
  })

  test('two browsers and pctx on one context: what each commits is seen by the others, and nobody loses an edit', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-inspector-'))
    const store = await openStore(`sqlite:${path.join(folder, 'shared.db')}`)
    await addStory(store, 'desk')
    const { url } = await inspector.serve(store)
    const [mine, theirs] = [
      await inspector.open('#/desk?at=working', { url }),
      await inspector.open('#/desk?at=working', { url }),
    ]
    for (const { page } of [mine, theirs]) await shows(page, 'working')
    await note(mine.page, 'by the first page')
    await note(theirs.page, 'by the second page')
    // A process of its own commits to the same file, while both pages have edits.
    const program = path.resolve(import.meta.dirname, '../../dist/bundle/pctx.js')
    const child = spawn(process.execPath, [program, 'add', 'desk', '--user', 'by pctx'], {
      cwd: folder,
      env: { ...process.env, PACT_STORE: 'sqlite:shared.db', NODE_OPTIONS: '' },
    })
    expect(await once(child, 'close')).toEqual([0, null])
    const keep = async (page: Page, own: string, words: string): Promise<void> => {
      const banner = page.locator('.banner.conflict')
      await banner.getByText(words).waitFor()
      await banner.locator('li').getByText('by pctx').waitFor()
      await banner.locator('li').getByText('new').first().waitFor()
      await expect.poll(() => page.getByRole('button', { name: /Commit cycle/ }).isDisabled()).toBe(true)
      await banner.getByRole('button', { name: 'Take it and keep my edits' }).click()
      await expect.poll(() => banner.count()).toBe(0)
      await page.locator('.trow.add').getByText(own).waitFor()
    }
    await keep(mine.page, 'by the first page', 'Cycle 17 was committed elsewhere')
    await mine.page.getByText('by pctx').first().waitFor()
    await mine.page.locator('#tree').press('Control+Enter')
    await shows(mine.page, '@c18')
    await keep(theirs.page, 'by the second page', 'Cycles 17 to 18 were committed elsewhere')
    await theirs.page.locator('#tree').press('Control+Enter')
    await shows(theirs.page, '@c19')
    // Each sees what the others did.
    await mine.page.locator('#col-c19').click()
    await shows(mine.page, '@c19')
    for (const { page } of [mine, theirs]) {
      for (const by of ['by pctx', 'by the first page', 'by the second page']) {
        await page.locator('#selector').fill(`*[content='${by}']`)
        await expect.poll(() => page.locator('#found').innerText()).toBe('1 match at @c19')
      }
    }
    const listed = spawn(process.execPath, [program, 'log', 'desk', '--json'], {
      cwd: folder,
      env: { ...process.env, PACT_STORE: 'sqlite:shared.db', NODE_OPTIONS: '' },
    })
    let text = ''
    listed.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(listed, 'close')
    expect((JSON.parse(text) as { cycles: { cycle: number }[] }).cycles[0]).toMatchObject({ cycle: 19 })
    await mine.done()
    await theirs.done()
    await store.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  test('following, a commit from elsewhere is chosen; not following, it appears and nothing moves', async () => {
    const hash = await story('followed')
    const [following, reading] = [await inspector.open(hash), await inspector.open(`${hash}?at=c5`)]
    await shows(following.page, '@c16')
    await shows(reading.page, '@c5')
    await expect
      .poll(() => following.page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed'))
      .toBe('true')
    const ctx = await inspector.store.open('followed')
    ctx.user('One more thing.')
    await ctx.commit()
    await shows(following.page, '@c17')
    await following.page.getByText('One more thing.').first().waitFor()
    // A link to an older cycle ends following.
    await following.page.goto(`${inspector.url}/${hash}?at=c6`)
    await shows(following.page, '@c6')
    await expect
      .poll(() => following.page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed'))
      .toBe('false')
    await reading.page.locator('#col-c17').waitFor()
    await drawn(reading.page)
    await expect.poll(() => reading.page.locator('#col-c5').getAttribute('aria-selected')).toBe('true')
    expect(reading.page.url()).toContain('at=c5')
    await following.done()
    await reading.done()
  })

  test('a call that is made after its commit shows by itself', async () => {
    const ctx = await inspector.store.open('called')
    ctx.user('one')
    await ctx.commit()
    const { page, done } = await inspector.open('#/nowhere')
    await page.clock.install()
    await page.goto(`${inspector.url}/#/called`)
    await page.reload()
    await shows(page, '@c1')
    await page.locator('.answer').getByText('No attempt recorded').waitFor()
    const noted = await fetch(`${inspector.url}/v1/contexts/called/attempts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'p', model: 'm', params: {}, lens: '@t0' }),
    })
    expect(noted.status).toBe(201)
    await page.clock.runFor(6000)
    await page.locator('#col-c1 .completed').waitFor()
    await page.locator('.answer').getByText('1 attempt').waitFor()
    await done()
  })

  test('a commit that comes in the very moment of ours is a conflict too (409), and mine can be thrown away', async () => {
    const { page, done } = await inspector.open(`${await story('raced')}?at=working`)
    await shows(page, 'working')
    // No events: the page learns of it from the answer to its own commit.
    await page.route('**/events', (route) => route.abort())
    await page.reload()
    await shows(page, 'working')
    await note(page, 'mine')
    const ctx = await inspector.store.open('raced')
    ctx.user('faster')
    await ctx.commit()
    await page.locator('#tree').press('Control+Enter')
    const banner = page.locator('.banner.conflict')
    await banner.getByText('Cycle 17 was committed elsewhere').waitFor()
    await banner.getByRole('button', { name: 'Discard mine' }).click()
    await shows(page, 'working')
    await expect.poll(() => page.locator('.answer').innerText()).toContain('0 calls since @c17')
    await done()
  })
})

describe('the server', () => {
  test('gone: what is shown stays, the page says what failed and comes back by itself', async () => {
    const store = await openStore('memory:')
    await addStory(store)
    const first = await inspector.serve(store)
    const port = Number(new URL(first.url).port)
    const { page, done } = await inspector.open('#/rail/booking-7?at=c12', { url: first.url })
    await shows(page, '@c12')
    await first.close()
    await page.locator('#col-c9').click()
    const banner = page.locator('.banner')
    await banner.getByText('The server does not answer').waitFor()
    await expect
      .poll(() => banner.innerText())
      .toMatch(
        /The data below is from \d\d:\d\d:\d\d and may be old[\s\S]*(?:GET|POST) \/v1\/contexts[\s\S]*Trying again/,
      )
    await expect.poll(() => page.locator('.trow').count()).toBeGreaterThan(5)
    // Old parts have their own heading, and the banner names their moment.
    await banner.getByText('Grey parts still show @c12.').waitFor()
    expect(await page.locator('.second h2').innerText()).toBe('Cycle 12')
    await banner.getByRole('button', { name: 'Try now' }).click()
    await banner.waitFor()
    await inspector.serve(store, { port })
    // Or it was faster by itself.
    await banner
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2000 })
      .catch(() => undefined)
    await shows(page, '@c9')
    await expect.poll(() => banner.count()).toBe(0)
    await done()
  })

  test('started again with another token: the page says so and keeps what it shows and its edits', async () => {
    const store = await openStore('memory:')
    await addStory(store)
    const first = await inspector.serve(store)
    const port = Number(new URL(first.url).port)
    const { page, done } = await inspector.open('#/rail/booking-7?at=c12', { url: first.url })
    await shows(page, '@c12')
    await first.close()
    await inspector.serve(store, { port, token: 'another-token-0123456789abcdefghijklmnopqrs' })
    await page.locator('#col-c9').click()
    await page.locator('.banner').getByText('This page’s key is no longer valid').waitFor()
    await expect.poll(() => page.locator('.trow').count()).toBeGreaterThan(5)
    await done()
  })

  test('slow: the frame is there at once, grey lines follow, and nothing jumps', async () => {
    const { page, done } = await inspector.open('#/nowhere')
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/tree?*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${inspector.url}/#/rail/booking-7?at=c12`)
    await page.reload()
    await page.locator('.answer').getByText('Sent in cycle 12').waitFor()
    await page.locator('.skel i').first().waitFor()
    const before = await page.locator('.bar').boundingBox()
    release()
    await shows(page, '@c12')
    expect(await page.locator('.bar').boundingBox()).toEqual(before)
    await done()
  })

  test('read-only: one sentence in place of the tools, and keys say the same', async () => {
    const { url } = await inspector.serve(inspector.store, { readOnly: true })
    const { page, done } = await inspector.open('#/rail/booking-7?at=working', { url })
    await shows(page, 'working')
    await page.locator('.tools').getByText('This server is read-only').waitFor()
    expect(await page.getByRole('button', { name: /Commit/ }).count()).toBe(0)
    await page.keyboard.press('i')
    await page.locator('.toast').getByText('This server is read-only.').waitFor()
    await done()
  })

  test('inspect(ctx): a context in memory, with what its program has not committed yet', async () => {
    const ctx = createContext({ id: 'program' })
    ctx.user('committed')
    ctx.commit()
    ctx.user('still open')
    const lines: string[] = []
    const token = 'inspect-token-0123456789abcdefghijklmnopqrst'
    const listening = await inspect(ctx, { inspector: INSPECTOR_FOLDER, token, print: (line) => lines.push(line) })
    const { page, done } = await inspector.open('#/program?at=working', { url: listening.url, token })
    await shows(page, 'working')
    await page.locator('.trow.add').getByText('still open').waitFor()
    expect(lines).toEqual([expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+\/open\?code=/)])
    // The page shows the next writes of the program by itself, and so its calls.
    ctx.assistant('and one more')
    await page.locator('.trow.add').getByText('and one more').waitFor()
    const attempt = ctx.startAttempt({ provider: 'p', model: 'm', params: {}, for: toOpenAIChat })
    await page.locator('[id="col-c2.2-0"] .running').waitFor()
    attempt.complete()
    await page.locator('[id="col-c2.2-0"] .completed').waitFor()
    ctx.undo()
    await expect.poll(() => page.locator('.trow.add').getByText('and one more').count()).toBe(0)
    ctx.commit()
    await page.locator('[id="col-c2.2-0"]').waitFor()
    await expect.poll(() => page.locator('.col').count()).toBe(3)
    await done()
    await listening.close()
  })

  test('inspect(ctx) before the first commit shows what is open', async () => {
    const ctx = createContext({ id: 'program' })
    ctx.user('not committed yet')
    const token = 'inspect-token-0123456789abcdefghijklmnopqrst'
    const listening = await inspect(ctx, { inspector: INSPECTOR_FOLDER, token, print: false })
    const { page, done } = await inspector.open('#/program', { url: listening.url, token })
    await shows(page, 'working')
    await expect.poll(() => page.locator('.trow.leaf').innerText()).toContain('not committed yet')
    await done()
    await listening.close()
  })

  test('inspect(ctx) that may write: the page commits what the program has open as well', async () => {
    const ctx = createContext({ id: 'program' })
    ctx.user('committed')
    ctx.commit()
    ctx.user('still open')
    const token = 'inspect-token-0123456789abcdefghijklmnopqrst'
    const options = { inspector: INSPECTOR_FOLDER, token, print: false, readOnly: false } as const
    const listening = await inspect(ctx, options)
    const { page, done } = await inspector.open('#/program?at=working', { url: listening.url, token })
    await shows(page, 'working')
    await note(page, 'by the page')
    await page.locator('#tree').press('Control+Enter')
    await shows(page, '@c2')
    expect(ctx.thread('@c2').map(({ content }) => content)).toEqual(['committed', 'still open', 'by the page'])
    await done()
    await listening.close()
  })
})

describe('nothing yet', () => {
  test('a context without a commit shows how to make one, and follows the first', async () => {
    const ctx = await inspector.store.open('blank')
    const { page, done } = await inspector.open('#/blank')
    await page.getByRole('heading', { name: 'No commit yet' }).waitFor()
    await expect.poll(() => page.locator('.state').innerText()).toContain('pctx import conversation.jsonl')
    ctx.user('first words')
    await ctx.commit()
    await page.locator('#col-c1').waitFor()
    await page.getByText('first words').first().waitFor()
    await done()
  })

  test('an empty store, a context that is not there, a cycle that is not there', async () => {
    const store = await openStore('memory:')
    const { url } = await inspector.serve(store)
    const empty = await inspector.open('', { url })
    await empty.page.getByRole('heading', { name: 'No context yet' }).waitFor()
    // The first one shows by itself.
    await store.create('first')
    await empty.page.locator('.ctxrow, .pick').getByText('first').waitFor()
    await empty.done()
    const missing = await inspector.open('#/nowhere')
    await missing.page.getByRole('heading', { name: 'This link leads nowhere here' }).waitFor()
    await missing.page.keyboard.press('Control+k')
    await missing.page.locator('#filter').fill('rail/booking-7')
    await missing.page.locator('.ctxrow').waitFor()
    await missing.page.keyboard.press('Enter')
    await shows(missing.page, '@c16')
    await missing.page.goto(`${inspector.url}/#/rail/booking-7?at=c99`)
    await missing.page.getByText(/@c99/).first().waitFor()
    expect(await missing.page.locator('.banner').count()).toBe(0)
    await missing.done()
  })
})

describe('a past with gaps', () => {
  test('is stepped through without ever naming a cycle that was thinned out', async () => {
    const ctx = await inspector.store.open('thinned')
    for (let cycle = 1; cycle <= 200; cycle++) {
      ctx.user(`Question ${cycle}`)
      await ctx.commit()
    }
    await inspector.store.retain('thinned', { keep: { every: 20, newest: 5 } })
    const { page, done } = await inspector.open('#/thinned?at=c196')
    await shows(page, '@c196')
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400 || response.headers()['pact-status'] !== undefined) refused.push(response.url())
    })
    for (const cycle of [180, 160, 140, 120]) {
      await page.keyboard.press('[')
      await shows(page, `@c${cycle}`)
    }
    await page.keyboard.press(']')
    await shows(page, '@c140')
    await page.locator('#cycles').focus()
    await page.keyboard.press('Home')
    await shows(page, '@c20')
    await page.keyboard.press('ArrowRight')
    await shows(page, '@c40')
    await page.locator('.answer').getByText('Changed since @c20').waitFor()
    // A click between two that are there goes to the one before it.
    const box = (await page.locator('.overview').boundingBox())!
    await page.mouse.click(box.x + box.width * 0.52, box.y + 10)
    await shows(page, '@c100')
    expect(refused).toEqual([])
    await done()
  })
})

describe('a great deal', () => {
  test('more cycles than columns: an overview, a window that is loaded where it is looked at, rows in sight only', async () => {
    const ctx = await inspector.store.open('long')
    for (let cycle = 1; cycle <= 300; cycle++) {
      ctx.user(`Question ${cycle}`)
      ctx.assistant(`Answer ${cycle}`)
      if (cycle === 200) ctx.delete("*[content='Question 150']")
      await ctx.commit()
    }
    const { page, done } = await inspector.open('#/long?at=c250')
    await shows(page, '@c250')
    const columns = page.locator('#cycles').getByRole('option')
    expect(await columns.count()).toBeLessThan(45)
    await page.locator('.overview i').first().waitFor()
    await expect.poll(() => page.locator('.overview i:has(b)').count()).toBe(1)
    expect(await page.locator('.trow').count()).toBeLessThan(80)

    // Far away by the overview, then one by one; what is not loaded is hatched until it is.
    const box = (await page.locator('.overview').boundingBox())!
    await page.mouse.click(box.x + box.width * 0.2, box.y + 10)
    await expect.poll(() => page.url()).toMatch(/at=c(?:59|60|61|62)\b/)
    await expect.poll(() => page.locator('.col.unloaded').count()).toBe(0)
    await page.locator('#tree').press('b')
    await shows(page, '@c200')

    // The end of a long tree, by keys alone; a node far away, by its id.
    await page.locator('#tree').press('*')
    await page.locator('#tree').press('End')
    await expect.poll(() => page.locator('.trow[aria-selected="true"]').innerText()).toContain('^ah')
    expect(await page.locator('.trow').count()).toBeLessThan(80)
    await page.locator('#selector').fill("*[content='Answer 7']")
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.trow[aria-selected="true"]').innerText()).toContain('Answer 7')
    await done()
  })
})
