// The pages of the site, made of the documents where they are: copied into `.build/pages` at each build, with links between pages turned into links
// of the site, and links to other files into links to the repository. A link that leads nowhere ends the build.

import fs from 'node:fs'
import path from 'node:path'

import { grouped } from './groups.mjs'
import { mapLinks, mapProse, titleOf } from './markdown.mjs'
import { repositoryOf } from './repository.mjs'

/** Documents at the root that are pages. The others (licence, policies) are linked to in the repository. */
const TOP = new Map([
  ['README.md', 'start.md'],
  ['SKILL.md', 'skill.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
])
/** The list of all pages would have the address of the home page. */
const LIST = 'docs/README.md'
/** Pages of the site's own. */
const OWN = new Map([
  ['site/home.md', 'index.md'],
  ['site/playground.md', 'playground.md'],
])
/** The home page is in no group. */
const HOME = 'site/home.md'
/** What the sidebar calls a page, where its heading is too long or says too little there. */
const SHORT = new Map([
  ['README.md', 'What it is'],
  ['SKILL.md', 'For coding agents'],
  ['docs/agents.md', 'The loop of an agent'],
  ['CONTRIBUTING.md', 'Contributing'],
  ['docs/architecture.md', 'Architecture'],
  ['docs/README.md', 'All pages'],
  ['docs/guides/README.md', 'By problem'],
  ['docs/implementers/readings.md', 'Readings'],
  ['site/playground.md', 'Playground'],
])

/** @typedef {Readonly<{ source: string, page: string, title: string, markdown: string }>} Page */

/**
 * Every document that is a page, by its file in the repository.
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function findPages(root) {
  const docs = filesUnder(root, 'docs', /\.md$/).map(
    (file) =>
      /** @type {const} */ ([
        file,
        file === LIST ? 'all-pages.md' : file.slice('docs/'.length).replace(/README\.md$/, 'index.md'),
      ]),
  )
  return new Map([...[...TOP, ...OWN].filter(([file]) => fs.existsSync(path.join(root, file))), ...docs])
}

/**
 * Writes all pages into a folder, and gives them. Throws a sentence for each link that leads nowhere and for each page in no group.
 * @param {string} root of the repository
 * @param {string} folder
 * @returns {readonly Page[]}
 */
export function writePages(root, folder) {
  const pages = findPages(root)
  /** @type {string[]} */
  const faults = []
  const { lost } = grouped([...pages.keys()].filter((file) => file !== HOME))
  for (const file of lost) faults.push(`${file} is in no group of site/build/groups.mjs.`)
  const images = new Set()
  const written = [...pages].map(([source, page]) => {
    const original = fs.readFileSync(path.join(root, source), 'utf8').replaceAll('\r\n', '\n')
    const markdown = withSiteLinks(original, { root, source, page, pages, images, faults })
    write(path.join(folder, page), markdown)
    return { source, page, title: SHORT.get(source) ?? shortTitle(titleOf(original, page)), markdown }
  })
  for (const image of images) write(path.join(folder, imagePage(image)), fs.readFileSync(path.join(root, image)))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return written
}

/**
 * A title of one thought: `Stores: contexts that outlive their process` is `Stores` in the sidebar.
 * @param {string} title
 */
function shortTitle(title) {
  return /^(.+?)(?:: |, and )/.exec(title)?.[1] ?? title
}

/**
 * @param {string} markdown
 * @param {Readonly<{ root: string, source: string, page: string, pages: Map<string, string>, images: Set<string>, faults: string[] }>} about
 */
function withSiteLinks(markdown, { root, source, page, pages, images, faults }) {
  const repository = repositoryOf(root)
  /** @param {string} target */
  const change = (target) => {
    if (/^[a-z][a-z+.-]*:|^#|^\//i.test(target)) return target
    const [before = '', anchor] = target.split('#', 2)
    const file = path.posix.join(path.posix.dirname(source), decodeURI(before)).replace(/\/$/, '')
    const hash = anchor === undefined ? '' : `#${anchor}`
    const to = pages.get(file)
    if (to !== undefined) return relative(page, to) + hash
    if (file.startsWith('..') || !fs.existsSync(path.join(root, file))) {
      faults.push(`${source} links to ${target}, which does not exist.`)
      return target
    }
    if (/\.(?:png|svg|jpg|gif)$/.test(file)) {
      images.add(file)
      return relative(page, imagePage(file))
    }
    const kind = fs.statSync(path.join(root, file)).isDirectory() ? 'tree' : 'blob'
    return `${repository}/${kind}/main/${file}${hash}`
  }
  // After the language, a fence says how a test runs it; a reader needs only the language.
  const language = (/** @type {string} */ info) => info.split(' ', 1)[0] ?? ''
  return mapProse(markdown, (prose) => mapLinks(prose, change), language)
}

/** @param {string} file */
function imagePage(file) {
  return file.replace(/^docs\//, '')
}

/**
 * @param {string} from
 * @param {string} to
 */
function relative(from, to) {
  const found = path.posix.relative(path.posix.dirname(from), to)
  return found.startsWith('.') ? found : `./${found}`
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {RegExp} pattern
 */
export function filesUnder(root, folder, pattern) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => pattern.test(file))
    .toSorted()
}

/**
 * @param {string} file
 * @param {string | Buffer} content
 */
export function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
}
