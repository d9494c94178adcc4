// Makes the pictures of docs/inspector.md and of the README: the story of the demo, served from memory, in a real Chromium, at twice the
// size. Run after a build: `node scripts/inspector-pictures.mjs [name …]`. They are looked at, not compared: fonts differ from machine to
// machine.
//
// The pictures are made with Inter and JetBrains Mono, from the Debian packages fonts-inter and fonts-jetbrains-mono. Without them the
// script says so, and uses the fonts of the system. `stepping.png` is a moving picture (APNG): `b` from one broken prefix to the next.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'

import { launchChromium } from '../test/support/chromium.mjs'
import { addAgentStory, LARGE_TURN } from '../demo/agent-story.mjs'
import { noteAttempts, sendWhileOpen, storyOptions, tellStory } from '../demo/story.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, 'docs/inspector')
const ID = 'rail/booking-7'
const SENDS = 'rail/dinner'
const AGENT = 'coding-agent'
const TOKEN = 'inspector-pictures-0123456789abcdefghijklmn'
const FONTS = { '--font': 'Inter', '--mono': 'JetBrains Mono' }

/** Name, place, theme, width, what to wait for, and another context than the usual one. */
const PICTURES = [
  ['tree-light', 'at=c12&node=block:12-3', 'light', 1440, '.life'],
  ['tree-dark', 'at=c12&node=block:12-3', 'dark', 1440, '.life'],
  ['request-light', 'at=c12&view=request&as=anthropic', 'light', 1440, '#first-difference'],
  ['compare-light', 'at=c12&view=compare', 'light', 1440, '.side'],
  ['range-light', 'at=c12&view=range&q=%40history%20%5Bttl%5D', 'light', 1440, '.lane .cell'],
  ['search-light', 'at=c16&view=range&q=voucher', 'light', 1440, '.hitrow'],
  ['narrow-light', 'at=c12', 'light', 390, '#tree[data-shows="@c12"]'],
  ['narrow-dark', 'at=c12&view=compare', 'dark', 390, '.chrow'],
  ['tokens-light', `at=c${LARGE_TURN}.${LARGE_TURN}-1&by=tool`, 'light', 1440, '#groups td', AGENT],
  ['sends-light', 'at=c17.17-2', 'light', 1440, '.second .dl', SENDS],
]
const MOVING = 'stepping'
/** Presses of the moving picture, and the milliseconds of a frame. */
const STEPS = 5
const FRAME = 1400

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const wanted = process.argv.slice(2)
const isWanted = (name) => wanted.length === 0 || wanted.includes(name)

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
const { toAnthropic } = await import(new URL('../dist/adapters/anthropic/index.js', import.meta.url).href)
await addAgentStory(store, AGENT, toAnthropic)
const server = await createServer({ store, token: TOKEN }).listen()
const browser = await launchChromium()
const style = fontStyle()
fs.mkdirSync(folder, { recursive: true })
for (const [name, query, colorScheme, width, seen, id = ID] of PICTURES) {
  if (!isWanted(name)) continue
  const { context, page } = await openPage(`${id}?${query}`, { width, height: width < 760 ? 844 : 900 }, colorScheme, 2)
  await page.locator(seen).first().waitFor()
  if (query.includes('view=request')) await page.getByRole('button', { name: 'First difference' }).click()
  await page.waitForTimeout(300)
  write(name, indexed(await pixelsOf(page, await page.screenshot())))
  await context.close()
}
if (isWanted(MOVING)) {
  const { context, page } = await openPage(`${ID}?at=c1`, { width: 1120, height: 640 }, 'light', 1)
  const frames = []
  for (let step = 0; step <= STEPS; step++) {
    if (step > 0) await page.locator('#tree').press('b')
    await page.locator('[data-shows]:not([aria-busy="true"])').first().waitFor()
    await page.waitForTimeout(500)
    frames.push(await pixelsOf(page, await page.screenshot()))
  }
  write(MOVING, moving(frames))
  await context.close()
}
await browser.close()
await server.close()
await store.close()

function write(name, bytes) {
  fs.writeFileSync(path.join(folder, `${name}.png`), bytes)
  console.log(`${name}.png ${Math.round(bytes.length / 1000)} KB`)
}

async function openPage(place, viewport, colorScheme, deviceScaleFactor) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor,
    // For the fonts: the page takes styles of its own files only.
    bypassCSP: true,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { authorization: `Bearer ${TOKEN}` },
  })
  const page = await context.newPage()
  await page.goto(`${server.url}/#/${place}`)
  if (style !== '') await page.addStyleTag({ content: style })
  await page.locator('#tree, #items, #changes, #range').first().waitFor()
  return { context, page }
}

/** The style that uses the fonts that are installed. */
function fontStyle() {
  let installed = ''
  try {
    installed = execFileSync('fc-list', [':', 'family'], { encoding: 'utf8' })
  } catch {
    // Without fontconfig there is nothing to ask.
  }
  const families = installed.split(/[\n,]/).map((each) => each.trim())
  const found = Object.entries(FONTS).filter(([, family]) => families.includes(family))
  for (const [, family] of Object.entries(FONTS)) {
    if (!families.includes(family)) console.log(`${family} is not installed: the pictures use a font of this system.`)
  }
  return found.length === 0
    ? ''
    : `:root { ${found.map(([name, family]) => `${name}: '${family}', sans-serif;`).join(' ')} }`
}

/** Width, height, and the colours of all pixels, one after the other. */
async function pixelsOf(page, picture) {
  // The browser knows how to read a picture.
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
  const colours = new Uint32Array(width * height)
  for (let i = 0; i < colours.length; i++) colours[i] = bytes.readUIntBE(4 * i, 3)
  return { width, height, colours }
}

/** The most frequent colours of some pictures, and the index of each colour in that palette. */
function paletteOf(pictures) {
  const counts = new Map()
  for (const { colours } of pictures) for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 255)
    .map(([colour]) => colour)
  const nearest = new Map(palette.map((colour, index) => [colour, index]))
  const indexOf = (colour) => {
    if (!nearest.has(colour)) nearest.set(colour, closest(palette, colour))
    return nearest.get(colour)
  }
  const table = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) table.writeUIntBE(colour, index * 3, 3)
  return { table, indexOf }
}

function header({ width, height }) {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return chunk('IHDR', head)
}

/** Rows of indexes, without filters. */
function packed({ width, height, colours }, indexOf) {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + x + 1] = indexOf(colours[y * width + x])
  }
  return deflateSync(rows, { level: 9 })
}

/** A PNG with a palette, which is a third of the size of one without. */
function indexed(picture) {
  const { table, indexOf } = paletteOf([picture])
  const body = [header(picture), chunk('PLTE', table), chunk('IDAT', packed(picture, indexOf))]
  return Buffer.concat([SIGNATURE, ...body, chunk('IEND', Buffer.alloc(0))])
}

/** An APNG that goes round for ever. */
function moving(frames) {
  const { table, indexOf } = paletteOf(frames)
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames.length, 0)
  const parts = [header(frames[0]), chunk('acTL', control), chunk('PLTE', table)]
  let sequence = 0
  for (const [i, frame] of frames.entries()) {
    const about = Buffer.alloc(26)
    about.writeUInt32BE(sequence++, 0)
    about.writeUInt32BE(frame.width, 4)
    about.writeUInt32BE(frame.height, 8)
    about.writeUInt16BE(i === frames.length - 1 ? 2 * FRAME : FRAME, 20)
    about.writeUInt16BE(1000, 22)
    parts.push(chunk('fcTL', about))
    const data = packed(frame, indexOf)
    if (i === 0) parts.push(chunk('IDAT', data))
    else {
      const numbered = Buffer.alloc(4)
      numbered.writeUInt32BE(sequence++, 0)
      parts.push(chunk('fdAT', Buffer.concat([numbered, data])))
    }
  }
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))])
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
