// @ts-check
// A real Chromium for tests, and for those who make pictures. In this order: PACT_CHROMIUM, the binary that comes with a development
// dependency (Linux on x64), Playwright's own, a browser of the machine. Nothing is downloaded.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'

import { chromium } from 'playwright-core'

const require = createRequire(import.meta.url)
const CACHE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/pact-chromium')
/** @type {Readonly<Record<string, readonly string[]>>} */
const MACHINE = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:/Program Files/Google/Chrome/Application/chrome.exe',
    'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
  ],
}

/** @typedef {Readonly<{ executablePath: string, env: Readonly<Record<string, string>> }>} Found */

/**
 * Starts the browser; a machine without one says so.
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchChromium() {
  const { executablePath, env } = await findChromium()
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
    env: { ...process.env, ...env },
  })
}

/** @returns {Promise<Found>} */
async function findChromium() {
  const given = process.env['PACT_CHROMIUM']
  if (given !== undefined && given !== '') return { executablePath: given, env: {} }
  const found = (await unpacked()) ?? installed()
  if (found === undefined)
    throw new Error('There is no Chromium here: set PACT_CHROMIUM to a Chrome or Chromium binary.')
  return found
}

/**
 * Unpacked by ourselves, under this folder and into place in one step: the package's own goes to /tmp, for all users and versions.
 * @returns {Promise<Found | undefined>}
 */
async function unpacked() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const home = path.resolve(path.dirname(require.resolve('@sparticuz/chromium')), '../..')
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'))
  )
  const folder = path.join(CACHE, version)
  if (!fs.existsSync(folder)) await unpack(path.join(home, 'bin'), folder)
  const executablePath = path.join(folder, 'chromium')
  const missing = /not found/.test(spawnSync('ldd', [executablePath], { encoding: 'utf8' }).stdout ?? '')
  const libraries = [path.join(folder, 'lib'), process.env['LD_LIBRARY_PATH'] ?? ''].filter((each) => each !== '')
  return {
    executablePath,
    env: {
      ...(missing ? { LD_LIBRARY_PATH: libraries.join(':') } : {}),
      ...(fs.existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: folder }),
    },
  }
}

/**
 * @param {string} bin
 * @param {string} folder
 */
async function unpack(bin, folder) {
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  const half = fs.mkdtempSync(`${folder}.`)
  /** @type {{ extract: (folder: string) => NodeJS.WritableStream }} */
  const tar = createRequire(require.resolve('@sparticuz/chromium'))('tar-fs')
  /** @param {string} file */
  const read = (file) => fs.createReadStream(path.join(bin, file)).pipe(createBrotliDecompress({ chunkSize: 1 << 21 }))
  await Promise.all([
    pipeline(read('chromium.br'), fs.createWriteStream(path.join(half, 'chromium'), { mode: 0o755 })),
    pipeline(read('al2023.tar.br'), tar.extract(half)),
    pipeline(read('fonts.tar.br'), tar.extract(half)),
  ])
  const fonts = path.join(half, 'fonts.conf')
  const text = fs
    .readFileSync(fonts, 'utf8')
    .replace(/<dir>\/tmp\/fonts<\/dir>/, `<dir>${folder}/fonts</dir>`)
    .replace(/<cachedir>.*<\/cachedir>/, `<cachedir>${folder}/fonts-cache</cachedir>`)
  fs.writeFileSync(fonts, text)
  try {
    fs.renameSync(half, folder)
  } catch {
    // Another process was faster.
    fs.rmSync(half, { recursive: true, force: true })
  }
}

/** @returns {Found | undefined} */
function installed() {
  const names = ['google-chrome', 'chromium', 'chromium-browser', 'microsoft-edge']
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const list = [
    chromium.executablePath(),
    ...(MACHINE[process.platform] ?? folders.flatMap((folder) => names.map((name) => path.join(folder, name)))),
  ]
  const executablePath = list.find((file) => file !== '' && fs.existsSync(file))
  return executablePath === undefined ? undefined : { executablePath, env: {} }
}
