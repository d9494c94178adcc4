// As much Markdown as the documentation checks need: fenced code, headings with GitHub's anchors, links.

export type Fence = Readonly<{
  /** The words after the backticks: `ts throws E_TTL_INVALID`. */
  info: string
  code: string
  /** The line of the first line of code, from 1. */
  line: number
}>

export type Heading = Readonly<{ text: string; level: number; line: number; anchor: string }>

export type Link = Readonly<{ target: string; line: number }>

/** Lists the fenced blocks, without the indentation a list gives them. */
export function readFences(markdown: string): readonly Fence[] {
  const fences: Fence[] = []
  const lines = markdown.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const open = openingFence(lines[i]!)
    if (open === undefined) continue
    const start = i + 1
    while (++i < lines.length && !closes(open.marks, lines[i]!));
    const code = lines.slice(start, i).map((line) => stripIndent(line, open.indent))
    fences.push({ info: open.info, code: code.join('\n'), line: start + 1 })
  }
  return fences
}

/** Lists the headings, with `#` and underlined, outside fenced code. */
export function readHeadings(markdown: string): readonly Heading[] {
  const lines = proseLines(markdown)
  const taken = new Map<string, number>()
  const headings: Heading[] = []
  lines.forEach((line, index) => {
    const underlined = /^ {0,3}(=+|-+)\s*$/.test(lines[index + 1] ?? '') && /^ {0,3}[^\s>|#`-]/.test(line)
    const text = underlined ? line.trim() : /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line)?.[1]
    if (text === undefined) return
    const slug = slugOf(text)
    const count = taken.get(slug) ?? 0
    taken.set(slug, count + 1)
    const level = underlined ? 1 : /#+/.exec(line)![0].length
    headings.push({ text, level, line: index + 1, anchor: count === 0 ? slug : `${slug}-${count}` })
  })
  return headings
}

/** Lists the anchors a link may name: those of headings, and of `<a id="…">`. */
export function readAnchors(markdown: string): readonly string[] {
  const written = proseLines(markdown).flatMap((line) => [...line.matchAll(/<\w+[^>]*\s(?:id|name)="([^"]+)"/g)])
  return [...readHeadings(markdown).map((heading) => heading.anchor), ...written.map((match) => match[1]!)]
}

/** Lists the targets of links, images and link definitions, outside code. */
export function readLinks(markdown: string): readonly Link[] {
  return proseLines(markdown).flatMap((line, index) => {
    const prose = withoutCode(line)
    const inline = [
      ...prose.matchAll(/\]\(\s*(?:<([^>]*)>|([^()\s]+(?:\([^()\s]*\)[^()\s]*)*))(?:\s+["'(][^)]*)?\s*\)/g),
    ]
    const defined = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))/g)]
    const html = [...prose.matchAll(/<(?:a|img)[^>]*\s(?:href|src)=(?:"([^"]*)")()/g)]
    return [...inline, ...defined, ...html].map((match) => ({ target: match[1] ?? match[2] ?? '', line: index + 1 }))
  })
}

/** The lines with everything inside fences blanked, so that line numbers stay. */
function proseLines(markdown: string): readonly string[] {
  let marks: string | undefined
  return markdown.split('\n').map((line) => {
    if (marks !== undefined) {
      if (closes(marks, line)) marks = undefined
      return ''
    }
    marks = openingFence(line)?.marks
    return marks === undefined ? line : ''
  })
}

function openingFence(line: string): { indent: number; marks: string; info: string } | undefined {
  const match = /^(\s*)(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)
  if (match === null) return undefined
  const indent = match[1]!.length
  return { indent, marks: match[0].slice(indent), info: line.slice(match[0].length).trim() }
}

function closes(marks: string, line: string): boolean {
  const trimmed = line.trim()
  return trimmed.length >= marks.length && trimmed === marks[0]!.repeat(trimmed.length)
}

function stripIndent(line: string, indent: number): string {
  return line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart()
}

function withoutCode(line: string): string {
  return line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (code) => ' '.repeat(code.length))
}

/** GitHub's rule: lower case, no punctuation but hyphens and underscores, a hyphen for each space. */
function slugOf(heading: string): string {
  const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>/g, '')
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
