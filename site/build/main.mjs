// Builds the site into `.build/dist`: the documents as pages, the API from the types, VitePress, the texts for models, and a check of every link.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { build } from 'vitepress'

import { writeApi } from './api.mjs'
import { findDeadLinks } from './dead-links.mjs'
import { FOLDED, grouped } from './groups.mjs'
import { writeTexts } from './llms.mjs'
import { write, writePages } from './pages.mjs'

const SITE = fileURLToPath(new URL('..', import.meta.url))
const ROOT = path.join(SITE, '..')
const WORK = path.join(SITE, '.build')
const PAGES = path.join(WORK, 'pages')
const DIST = path.join(WORK, 'dist')

process.chdir(SITE)
try {
  await main()
} catch (error) {
  console.error(`site: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exit(1)
}
// VitePress leaves a timer behind.
process.exit(0)

async function main() {
  fs.rmSync(PAGES, { recursive: true, force: true })
  const pages = writePages(ROOT, PAGES)
  const api = await writeApi(ROOT, WORK, PAGES)
  fs.cpSync(path.join(SITE, 'public'), path.join(PAGES, 'public'), { recursive: true })
  write(path.join(WORK, 'sidebar.json'), JSON.stringify(sidebarOf(pages, api)))
  await build(SITE)
  const texts = writeTexts(pages, DIST)
  const dead = findDeadLinks(DIST, process.env['SITE_BASE'] ?? '/')
  if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join('\n')}`)
  const count = fs
    .readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html')).length
  console.log(`site: ${count} pages, ${texts.join(', ')}: ${path.relative(ROOT, DIST)}`)
}

/**
 * Groups do not collapse: VitePress makes a button of such a title, with another button in it.
 * @param {readonly import('./pages.mjs').Page[]} pages
 * @param {import('./api.mjs').Item} api
 */
function sidebarOf(pages, api) {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const { groups } = grouped([...bySource.keys(), 'api/'])
  return groups.map(({ title, pages: files }) => {
    const items = files.map((file) => ({ file, item: itemOf(bySource.get(file)) ?? api }))
    const folded = [...FOLDED].flatMap(([folder, text]) => {
      const inside = items.filter(({ file }) => file.startsWith(folder)).map(({ item }) => item)
      return inside.length === 0 ? [] : [{ text, link: inside[0]?.link, collapsed: true, items: inside }]
    })
    const plain = items.filter(({ file }) => ![...FOLDED.keys()].some((folder) => file.startsWith(folder)))
    return { text: title, items: [...plain.map(({ item }) => item), ...folded] }
  })
}

/** @param {import('./pages.mjs').Page | undefined} page */
function itemOf(page) {
  return page && { text: page.title, link: `/${page.page.replace(/(?:(?<=\/)index)?\.md$/, '')}` }
}
