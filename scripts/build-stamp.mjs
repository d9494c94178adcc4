// The sources of a build, by content: compare this with the stamp next to the build to know if dist/ is current. Uses only
// Node itself, because nothing else may be there yet.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** The rooms whose code is in the page. */
const PAGE_ROOMS = ['errors', 'core', 'selector']

/**
 * The sources of each of the two builds; paths are from the root, which is the current folder.
 * @returns {Record<'library' | 'page', { stamp: string, key: string }>}
 */
export function buildKeys() {
  const all = [...sources('src'), ...sources('testing')]
  const isInspector = (/** @type {string} */ file) => file.startsWith(path.join('src', 'inspector') + path.sep)
  const isPage = (/** @type {string} */ file) =>
    isInspector(file) || PAGE_ROOMS.some((room) => file.startsWith(path.join('src', room)))
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.testing.json', 'scripts/bundle.mjs']
  return {
    library: { stamp: 'dist/.stamp', key: keyOf([...settings, ...all.filter((file) => !isInspector(file))]) },
    page: { stamp: 'dist/.stamp-inspector', key: keyOf(['scripts/inspector.vite.mjs', ...all.filter(isPage)]) },
  }
}

/**
 * True if a build was made from the files as they are.
 * @param {{ stamp: string, key: string }} build
 */
export function isBuilt({ stamp, key }) {
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === key
}

/** @param {readonly string[]} files */
function keyOf(files) {
  const hash = createHash('sha256')
  for (const file of ['package.json', ...files])
    hash.update(file).update('\0').update(fs.readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** @param {string} folder */
function sources(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
