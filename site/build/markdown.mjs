// Markdown as the site needs it: the anchors of GitHub, and links outside code.

const FENCE = /^(\s*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/**
 * The anchor of a heading by GitHub's rule, which the documents are written for: lower case, no punctuation, a hyphen for each space.
 * @param {string} heading
 */
export function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * The first heading, without its code marks.
 * @param {string} markdown
 * @param {string} otherwise
 */
export function titleOf(markdown, otherwise) {
  return /^# +(.+?)\s*$/m.exec(markdown)?.[1]?.replaceAll(/[`*\\]/g, '') ?? otherwise
}

/**
 * Calls `change` with each line outside fences, without touching inline code, and gives the text with what it returns. `fence` gets the info of each fence.
 * @param {string} markdown
 * @param {(prose: string) => string} change
 * @param {(info: string) => string} [fence]
 */
export function mapProse(markdown, change, fence = (info) => info) {
  let closing = ''
  const lines = markdown.split('\n').map((line) => {
    const [, indent = '', marks = '', info = ''] = FENCE.exec(line) ?? []
    if (closing !== '') {
      if (info.trim() === '' && marks.startsWith(closing)) closing = ''
      return line
    }
    if (marks !== '') {
      closing = marks
      return `${indent}${marks}${fence(info.trim())}`
    }
    return line
      .split(/((?<!`)(`+)(?!`).*?(?<!`)\2(?!`))/)
      .filter((_, i) => i % 3 !== 2)
      .map((part, i) => (i % 2 === 1 ? part : change(part)))
      .join('')
  })
  return lines.join('\n')
}

const LINKS =
  /(\]\(\s*)(?:<([^>]*)>|([^()\s]+(?:\([^()\s]*\)[^()\s]*)*))|(^ {0,3}\[[^\]]+\]:\s*)(?:<([^>]*)>|(\S+))|(<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)=")([^"]*)/g

/**
 * Replaces the targets of links, images and link definitions.
 * @param {string} prose
 * @param {(target: string) => string} change
 */
export function mapLinks(prose, change) {
  return prose.replaceAll(LINKS, (_, inline, ...[a, b, defined, c, d, html, e]) => {
    return `${inline ?? defined ?? html}${change(a ?? b ?? c ?? d ?? e ?? '')}`
  })
}
