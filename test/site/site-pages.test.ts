// The pages of the documentation site before VitePress has them: groups, links, anchors. The site itself is built and tested by `npm run site -- --test`.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findDeadLinks } from '../../site/build/dead-links.mjs'
import { GROUPS, grouped } from '../../site/build/groups.mjs'
import { mapLinks, mapProse, slugOf, titleOf } from '../../site/build/markdown.mjs'
import { writePages } from '../../site/build/pages.mjs'
import { repositoryOf } from '../../site/build/repository.mjs'
import { ROOT } from '../support/documents.js'
import { readHeadings } from '../support/markdown.js'

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-site-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const MANIFEST = JSON.stringify({ repository: { url: 'git+https://example.org/pact-context.git' } })

/** A repository of a few files. */
function madeUp(files: Readonly<Record<string, string>>): string {
  const root = fs.mkdtempSync(path.join(folder, 'root-'))
  for (const [file, text] of Object.entries({ 'package.json': MANIFEST, ...files })) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), text)
  }
  return root
}

describe('the pages of the site', () => {
  test('every document is a page in a group of site/build/groups.mjs, and every link of it leads somewhere', () => {
    const pages = writePages(ROOT, path.join(folder, 'own'))
    expect(pages.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['README.md', 'SKILL.md', 'docs/selectors.md']),
    )
    const named = GROUPS.flatMap(({ pages: own }) => own)
    expect(new Set(named).size).toBe(named.length)
  })

  test('links between pages stay in the site, links to other files go to the repository, code stays as it is', () => {
    const root = madeUp({
      'README.md':
        '# Top\n[a](docs/time.md#x) [b](examples) [c](LICENSE) [d](https://example.org)\n`[e](gone.md)`\n![f](docs/p.png)',
      'docs/time.md': '# Time\n```ts continue\n[g](gone.md)\n```\n[h](../README.md) [`i`](../LICENSE)',
      'docs/p.png': '',
      LICENSE: '',
      'examples/a.ts': '',
    })
    const out = path.join(root, 'out')
    writePages(root, out)
    const at = `${repositoryOf(root)}`
    expect(fs.readFileSync(path.join(out, 'start.md'), 'utf8')).toBe(
      `# Top\n[a](./time.md#x) [b](${at}/tree/main/examples) [c](${at}/blob/main/LICENSE) [d](https://example.org)\n\`[e](gone.md)\`\n![f](./p.png)`,
    )
    expect(fs.readFileSync(path.join(out, 'time.md'), 'utf8')).toBe(
      `# Time\n\`\`\`ts\n[g](gone.md)\n\`\`\`\n[h](./start.md) [\`i\`](${at}/blob/main/LICENSE)`,
    )
    expect(fs.existsSync(path.join(out, 'p.png'))).toBe(true)
  })

  test('a link to nothing and a page in no group end the build, each with its name', () => {
    const root = madeUp({ 'docs/time.md': '[a](gone.md)', 'docs/lost.md': '# Lost', 'docs/guides/new.md': '# New' })
    expect(() => writePages(root, path.join(root, 'out'))).toThrow(
      'docs/lost.md is in no group of site/build/groups.mjs.\ndocs/time.md links to gone.md, which does not exist.',
    )
  })

  test('a new guide is in its group without a line in the table', () => {
    const { groups, lost } = grouped(['docs/guides/b.md', 'docs/guides/a.md', 'docs/chats.md', 'docs/x.md'])
    expect(groups.find(({ title }) => title === 'Guides')?.pages).toEqual([
      'docs/guides/a.md',
      'docs/guides/b.md',
      'docs/chats.md',
    ])
    expect(lost).toEqual(['docs/x.md'])
  })

  test('a dead link in the built pages is found, also to an anchor and out of the base', () => {
    const page =
      '<a href="/x/b.html#here">1</a> <a href="/x/b#gone">2</a> <a href="./c.html">3</a> <a href="/b.html">4</a> <a href="//else">5</a> <a href="/x/">6</a>'
    const dist = madeUp({ 'a.html': page, 'b.html': '<h2 id="here">', 'index.html': '' })
    expect(findDeadLinks(dist, '/x/')).toEqual([
      'a.html: /x/b#gone (no such anchor)',
      'a.html: ./c.html',
      'a.html: /b.html',
    ])
  })
})

describe('the Markdown of the site', () => {
  test('anchors are those that the documents are checked for', () => {
    const headings = ['createContext(options?)', "What's new: 1.0 & on", 'Größe und Art', '`a_b` c']
    const expected = readHeadings(headings.map((each) => `## ${each}\n`).join('\n')).map(({ anchor }) => anchor)
    expect(headings.map((each) => slugOf(each))).toEqual(expected)
  })

  test('the title is the first heading, without marks', () => {
    expect(titleOf('text\n# `pctx`: a *tool*\n# Other', 'x')).toBe('pctx: a tool')
    expect(titleOf('text', 'x')).toBe('x')
  })

  test('links of every form are changed, and nothing in code is', () => {
    const text = '[a](<b c.md> "t") ![p](q(1).png)\n[d]: e.md\n<img src="f.png">\n~~~\n[g](h)\n~~~\n``[i](j)`` [k](l)'
    expect(mapProse(text, (prose) => mapLinks(prose, (target) => `<${target.toUpperCase()}>`))).toBe(
      '[a](<B C.MD> "t") ![p](<Q(1).PNG>)\n[d]: <E.MD>\n<img src="<F.PNG>">\n~~~\n[g](h)\n~~~\n``[i](j)`` [k](<L>)',
    )
  })
})
