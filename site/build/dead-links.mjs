// Every link inside the built site, with its anchor: VitePress looks for pages, not for anchors, and not into pages that typedoc wrote.

import fs from 'node:fs'
import path from 'node:path'

import { filesUnder } from './pages.mjs'

/**
 * @param {string} dist
 * @param {string} base
 * @returns {readonly string[]}
 */
export function findDeadLinks(dist, base) {
  const files = filesUnder(dist, '.', /\.html$/)
  const html = new Map(files.map((file) => [file, fs.readFileSync(path.join(dist, file), 'utf8')]))
  const ids = new Map([...html].map(([file, text]) => [file, new Set(valuesOf(text, /\s(?:id|name)="([^"]*)"/g))]))
  return [...html].flatMap(([file, text]) => {
    const targets = new Set(valuesOf(text, /<a\b[^>]*?\shref="([^"]*)"/g))
    return [...targets].flatMap((target) => {
      if (/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return []
      const [before = '', anchor = ''] = target.split('#', 2).map(decodeURIComponent)
      const to = before === '' ? file : fileOf(before, file, base)
      if (to.endsWith('.html') ? !html.has(to) : !fs.existsSync(path.join(dist, to))) return [`${file}: ${target}`]
      return anchor === '' || ids.get(to)?.has(anchor) === true ? [] : [`${file}: ${target} (no such anchor)`]
    })
  })
}

/**
 * @param {string} target
 * @param {string} from
 * @param {string} base
 */
function fileOf(target, from, base) {
  const inside = target.startsWith('/')
    ? target.startsWith(base)
      ? target.slice(base.length)
      : `..${target}`
    : path.posix.join(path.posix.dirname(from), target)
  if (inside === '' || inside.endsWith('/')) return `${inside}index.html`
  return path.posix.extname(inside) === '' ? `${inside}.html` : inside
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function valuesOf(text, pattern) {
  return [...text.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
}
