// Makes the pictures of docs/inspector.md: the story of the tests, served from memory, in a real Chromium. Run after a build:
// `node scripts/inspector-pictures.mjs`. They are looked at, not compared: fonts differ from machine to machine.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'

import { launchChromium } from '../test/support/chromium.mjs'
import { noteAttempts, sendWhileOpen, storyOptions, tellStory } from '../demo/story.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, 'docs/inspector')
const ID = 'rail/booking-7'
const SENDS = 'rail/dinner'
const TOKEN = 'inspector-pictures-0123456789abcdefghijklmn'

/** Name, place, theme, width, what to wait for, and another context than the usual one. */
const PICTURES = [
  ['tree-light', 'at=c12&node=block:12-3', 'light', 1280, '.life'],
  ['tree-dark', 'at=c12&node=block:12-3', 'dark', 1280, '.life'],
  ['request-light', 'at=c12&view=request&as=anthropic', 'light', 1280, '#first-difference'],
  ['compare-light', 'at=c12&view=compare', 'light', 1280, '.side'],
  ['range-light', 'at=c12&view=range&q=%40history%20%5Bttl%5D', 'light', 1280, '.lane b'],
  ['narrow-light', 'at=c12', 'light', 390, '#tree[data-shows="@c12"]'],
  ['narrow-dark', 'at=c12&view=compare', 'dark', 390, '.chrow'],
  ['sends-light', 'at=c17.17-2', 'light', 1280, '.second .dl', SENDS],
]

const { openStore } = await import(new URL('../dist/store/index.js', import.meta.url).href)
const { createServer } = await import(new URL('../dist/server/index.js', import.meta.url).href)
const store = await openStore('memory:')
const { toOpenAIChat } = await import(new URL('../dist/adapters/openai/index.js', import.meta.url).href)
for (const id of [ID, SENDS]) {
  const ctx = await store.create(id, storyOptions())
  await tellStory(
    ctx,
    () => ctx.commit(),
    (turn) => noteAttempts(ctx, turn),
  )
  if (id !== SENDS) continue
  sendWhileOpen(ctx, toOpenAIChat)
  await ctx.commit()
}
const server = await createServer({ store, token: TOKEN }).listen()
const browser = await launchChromium()
fs.mkdirSync(folder, { recursive: true })
for (const [name, query, colorScheme, width, seen, id = ID] of PICTURES) {
  const context = await browser.newContext({
    viewport: { width, height: width < 760 ? 844 : 720 },
    colorScheme,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { authorization: `Bearer ${TOKEN}` },
  })
  const page = await context.newPage()
  await page.goto(`${server.url}/#/${id}?${query}`)
  await page.locator('.meter').waitFor()
  await page.locator(seen).first().waitFor()
  if (query.includes('view=request')) await page.getByRole('button', { name: 'First difference' }).click()
  await page.waitForTimeout(300)
  const picture = await page.screenshot()
  fs.writeFileSync(path.join(folder, `${name}.png`), await smaller(page, picture))
  await context.close()
}
await browser.close()
await server.close()
await store.close()

/** The same with a palette of its 255 most frequent colours, which is a third of the size. */
async function smaller(page, picture) {
  // The page's own policy lets it draw what is in data, and the browser knows how to read a picture.
  const { width, height, pixels } = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.width
      canvas.height = image.height
      const drawing = canvas.getContext('2d')
      drawing.drawImage(image, 0, 0)
      const { data } = drawing.getImageData(0, 0, image.width, image.height)
      const bytes = new Uint8Array(data.buffer)
      let text = ''
      for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768))
      return { width: image.width, height: image.height, pixels: btoa(text) }
    },
    `data:image/png;base64,${picture.toString('base64')}`,
  )
  const bytes = Buffer.from(pixels, 'base64')
  const colours = new Map()
  for (let at = 0; at < bytes.length; at += 4) {
    const colour = bytes.readUIntBE(at, 3)
    colours.set(colour, (colours.get(colour) ?? 0) + 1)
  }
  const palette = [...colours]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 255)
    .map(([colour]) => colour)
  const nearest = new Map(palette.map((colour, index) => [colour, index]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = bytes.readUIntBE((y * width + x) * 4, 3)
      if (!nearest.has(colour)) nearest.set(colour, closest(palette, colour))
      rows[y * (width + 1) + x + 1] = nearest.get(colour)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const table = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) table.writeUIntBE(colour, index * 3, 3)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function closest(palette, colour) {
  const parts = (value) => [value >> 16, (value >> 8) & 255, value & 255]
  const [r, g, b] = parts(colour)
  let [best, least] = [0, Infinity]
  for (const [index, each] of palette.entries()) {
    const [x, y, z] = parts(each)
    const distance = (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
