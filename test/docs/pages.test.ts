// Pages of docs/ as a reader finds them: listed, with the moment when they are needed and an example at the top, and with words that are defined.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { readText, ROOT } from '../support/documents.js'
import { readFences, readHeadings, readLinks } from '../support/markdown.js'

const listed = (folder: string): readonly string[] =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
const GUIDES = listed('docs/guides')
const PAGES = [...listed('docs'), ...GUIDES]
/** For people who change the code, and a list of pages. */
const OWN = ['docs/architecture.md', 'docs/guides/README.md']
const FOR_USERS = PAGES.filter((file) => !OWN.includes(file))

test('the README has less than 1,200 words', () => {
  expect(readText('README.md').split(/\s+/).filter(Boolean).length).toBeLessThan(1200)
})

test('docs/README.md lists every page', () => {
  const links = readLinks(readText('docs/README.md')).map(({ target }) => path.posix.join('docs', target))
  expect(PAGES.filter((file) => file !== 'docs/README.md' && !links.includes(file))).toEqual([])
})

describe.each(FOR_USERS)('%s', (file) => {
  const text = readText(file)

  test('begins with the moment when you need it', () => {
    expect(text.split('\n').slice(1, 8).join('\n')).toMatch(
      /\b(?:You need|Read|Use) this (?:page|guide)|^This page is about/m,
    )
  })

  test('has an example before its second heading', () => {
    const [, second] = readHeadings(text).filter(({ level }) => level === 2)
    const first = readFences(text).find(({ info }) => /^(?:ts|sh|js)\b/.test(info))
    expect(first?.line ?? Infinity).toBeLessThan(second?.line ?? Infinity)
  })
})

describe('the glossary of docs/concepts.md', () => {
  const TERMS =
    'attempt block container core cycle depth draft lens node offset schedule segment thread turn zone'.split(' ')
  const text = readText('docs/concepts.md')
  const defined = readHeadings(text).flatMap((heading) => (heading.level === 3 ? [heading.text] : []))

  test('defines every term once, in the order of the alphabet', () => {
    expect(defined).toEqual(TERMS)
  })

  test.each(TERMS)('%s has a definition, and is linked from another page', (term) => {
    const [, definition = ''] = text.split(`\n### ${term}\n\n`)
    expect(definition.split('\n')[0]!.length).toBeGreaterThan(30)
    const from = FOR_USERS.filter((file) => file !== 'docs/concepts.md').filter((file) =>
      readLinks(readText(file)).some(({ target }) => target.endsWith(`concepts.md#${term}`)),
    )
    expect(from).not.toEqual([])
  })
})
