// The site. Its pages are made by build/pages.mjs before VitePress starts; `npm run site` does both.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

import { defineConfig, type DefaultTheme } from 'vitepress'

import { slugOf } from '../build/markdown.mjs'
import { repositoryOf } from '../build/repository.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sidebar = JSON.parse(
  fs.readFileSync(new URL('../.build/sidebar.json', import.meta.url), 'utf8'),
) as DefaultTheme.SidebarItem[]

export default defineConfig({
  title: 'pact-context',
  description:
    'LLM context as a tree with invariants: byte-stable snapshots, budgets with receipts, a history you can address.',
  lang: 'en',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: '.build/pages',
  outDir: '.build/dist',
  cacheDir: '.build/cache',
  cleanUrls: false,
  lastUpdated: false,
  ignoreDeadLinks: 'localhostLinks',
  head: [['link', { rel: 'icon', href: `${process.env['SITE_BASE'] ?? '/'}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    headers: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'API', link: '/api/' },
      { text: 'Repository', link: repositoryOf(root) },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { boost: { title: 6, titles: 3, text: 1 } } },
      },
    },
    docFooter: { prev: 'Before', next: 'Next' },
    externalLinkIcon: true,
  },
  vite: {
    server: { host: '127.0.0.1' },
    build: { chunkSizeWarningLimit: 4000 },
    logLevel: 'warn',
  },
})
