// Texts for models: llms.txt lists every page, llms-full.txt holds what a user of the package needs, and every page is there as Markdown as well.

import path from 'node:path'

import { grouped } from './groups.mjs'
import { write } from './pages.mjs'

/** What llms-full.txt leaves out: long, and for people who change the package. */
const LEFT_OUT = ['For implementers']
const LEFT_OUT_PAGES = ['CHANGELOG.md', 'site/playground.md']

const ABOUT =
  '> pact-context is a TypeScript library (Node 20.19 and later): the context of an LLM agent as a tree that you can query, budget, replay and keep. Turns, system texts, documents and tool calls are nodes with lifetimes; a commit seals a turn and gives an immutable snapshot; adapters render it as a request for OpenAI, Claude, Gemini, Mistral, Bedrock and the AI SDK.'

/**
 * Writes them, and gives their names and sizes.
 * @param {readonly import('./pages.mjs').Page[]} pages
 * @param {string} dist
 * @returns {readonly string[]}
 */
export function writeTexts(pages, dist) {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const groups = grouped([...bySource.keys()]).groups.map(({ title, pages: files }) => ({
    title,
    pages: files.flatMap((file) => bySource.get(file) ?? []),
  }))
  for (const { page, markdown } of pages) write(path.join(dist, page), markdown)
  const list = groups.map(({ title, pages: own }) => {
    const lines = own.map(({ title: name, page, markdown }) => `- [${name}](${page})${summaryOf(markdown)}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const short = `# pact-context\n\n${ABOUT}\n\nAll of it in one file: [llms-full.txt](llms-full.txt). The API by types: [api](api/).\n\n${list.join('\n')}`
  const full = groups
    .filter(({ title }) => !LEFT_OUT.includes(title))
    .flatMap(({ pages: own }) => own.filter(({ source }) => !LEFT_OUT_PAGES.includes(source)))
    .map(({ page, markdown }) => `<!-- ${page} -->\n\n${markdown.trim()}\n`)
  const texts = { 'llms.txt': short, 'llms-full.txt': `# pact-context\n\n${ABOUT}\n\n${full.join('\n\n')}` }
  return Object.entries(texts).map(([name, text]) => {
    write(path.join(dist, name), text)
    return `${name} ${Math.round(text.length / 1024)} kB`
  })
}

/**
 * The first sentence of a page.
 * @param {string} markdown
 */
function summaryOf(markdown) {
  const paragraph = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .split(/\n{2,}/)
    .find((part) => /^[\p{L}`*"“]/u.test(part.trim()))
  const plain = (paragraph ?? '')
    .replaceAll('\n', ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
  const sentence = /^.*?[.:!?](?=\s|$)/.exec(plain)?.[0] ?? plain
  return sentence === '' ? '' : `: ${sentence.slice(0, 240)}`
}
