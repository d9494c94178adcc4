// The API reference: typedoc reads the types of every entry of the package and writes Markdown. Functions and types of an entry become one page each;
// classes and interfaces keep pages of their own.

import fs from 'node:fs'
import path from 'node:path'

import {
  Application,
  Comment,
  Converter,
  DeclarationReflection,
  IntersectionType,
  ReferenceType,
  ReflectionKind,
  ReflectionType,
  SignatureReflection,
} from 'typedoc'

import { mapLinks, mapProse, slugOf } from './markdown.mjs'
import { filesUnder, write } from './pages.mjs'

/** The page that takes up what typedoc writes into a folder, a file for each name. */
const MERGED = new Map([
  ['functions', 'functions'],
  ['variables', 'functions'],
  ['type-aliases', 'types'],
])
const TITLES = new Map([
  ['functions', 'Functions'],
  ['types', 'Types'],
])
/** What each entry of the package is for, in the list of entries and at the top of its page. */
const ABOUT = new Map([
  ['pact-context', 'Contexts, snapshots, selectors, attempts and errors.'],
  ['pact-context/adapters', 'Everything that an adapter of your own is made of.'],
  ['pact-context/ai-sdk', 'The Vercel AI SDK: prompts, agents, middleware and chats.'],
  ['pact-context/anthropic', 'Claude: the Messages API.'],
  ['pact-context/bedrock', 'Models behind the Converse API of Amazon Bedrock.'],
  ['pact-context/claude-agent-sdk', 'Transcripts of the Claude Agent SDK in a store.'],
  ['pact-context/client', 'A client of the server, also for browsers.'],
  ['pact-context/gemini', 'Gemini: generateContent and the Interactions API.'],
  ['pact-context/langgraph', 'LangGraph: a checkpointer and a memory on a store.'],
  ['pact-context/mcp', 'A server of the Model Context Protocol over a store.'],
  ['pact-context/mistral', 'Mistral: Chat Completions.'],
  ['pact-context/openai', 'OpenAI: Chat Completions, with all who speak its format, and Responses.'],
  ['pact-context/openai-agents', 'A session of the OpenAI Agents SDK in a store.'],
  ['pact-context/server', 'A store over HTTP, with the inspector.'],
  ['pact-context/store', 'Contexts on disk: SQLite, PostgreSQL, memory, or a store of your own.'],
  ['pact-context/testing', 'The tests that a store of your own has to pass.'],
  ['pact-context/tokens', 'Token counters, estimates and what providers report.'],
])
/** Objects with fewer fields may be equal by accident. */
const FIELDS = 4

/**
 * @typedef {Readonly<{ text: string, link?: string, items?: readonly Item[], collapsed?: boolean }>} Item
 * @typedef {import('typedoc').SomeType} SomeType
 */

/**
 * Writes the pages of the API into `folder`/api, and gives their part of the sidebar.
 * @param {string} root of the repository
 * @param {string} work a folder to work in
 * @param {string} folder
 * @returns {Promise<Item>}
 */
export async function writeApi(root, work, folder) {
  const raw = path.join(work, 'typedoc')
  await runTypedoc(root, work, raw)
  return arrange(raw, folder)
}

/** @param {string} root */
function entriesOf(root) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const types = Object.values(exports).flatMap((entry) => (typeof entry === 'object' ? [entry.types] : []))
  return types.map((file) =>
    file
      .replace(/^\.\/dist\/(?=testing\/)/, '')
      .replace(/^\.\/dist\//, 'src/')
      .replace(/\.d\.ts$/, '.ts'),
  )
}

/**
 * @param {string} root
 * @param {string} work
 * @param {string} out
 */
async function runTypedoc(root, work, out) {
  const files = entriesOf(root).map((file) => path.join(root, file))
  const tsconfig = path.join(work, 'tsconfig.api.json')
  write(tsconfig, JSON.stringify({ extends: path.join(root, 'tsconfig.json'), include: [], files }))
  const app = await Application.bootstrapWithPlugins({
    entryPoints: files,
    outputs: [{ name: 'markdown', path: out }],
    tsconfig,
    plugin: ['typedoc-plugin-markdown'],
    name: 'pact-context',
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    // `npm test` has compiled the same sources.
    skipErrorChecking: true,
    validation: false,
    logLevel: 'Warn',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    propertyMembersFormat: 'table',
    typeDeclarationFormat: 'table',
    indexFormat: 'table',
  })
  // After typedoc's own plugins, which note where members come from.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => tidy(project), -1000)
  const project = await app.convert()
  if (project === undefined) throw new Error('typedoc could not read the types.')
  fs.rmSync(out, { recursive: true, force: true })
  await app.generateOutputs(project)
}

/**
 * Calls modules by the name they are imported by, and shows the package's shapes, which are `Readonly<{ … }>`, as objects: typedoc shows the comments of
 * fields only there. A parameter with the fields of a named type gets the name, which the compiler loses on the way.
 * @param {import('typedoc').ProjectReflection} project
 */
function tidy(project) {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    module.name = importName(module.name)
    const text = ABOUT.get(module.name)
    if (text === undefined) throw new Error(`Say in ${import.meta.filename} what ${module.name} is for.`)
    module.comment = new Comment([{ kind: 'text', text }])
  }
  for (const each of Object.values(project.reflections)) forgetAncestors(each)
  /** @type {Map<string, import('typedoc').Reflection>} */
  const named = new Map()
  for (const each of project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
    const alias = /** @type {import('typedoc').DeclarationReflection} */ (each)
    alias.type = opened(alias.type)
    const key = fieldsOf(alias.type)
    if (key !== undefined) named.set(key, alias)
  }
  for (const each of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    const parameter = /** @type {import('typedoc').ParameterReflection} */ (each)
    const known = named.get(fieldsOf(opened(parameter.type)) ?? '')
    if (known !== undefined) parameter.type = ReferenceType.createResolvedReference(known.name, known, project)
  }
}

/**
 * A class is shown with all it has. The classes that it is made of are no part of the package's surface.
 * @param {import('typedoc').Reflection} each
 */
function forgetAncestors(each) {
  if (each instanceof DeclarationReflection || each instanceof SignatureReflection) {
    delete each.inheritedFrom
    delete each.overwrites
    delete each.implementationOf
  }
  if (each instanceof DeclarationReflection) {
    const isShown = (/** @type {SomeType} */ type) => type instanceof ReferenceType && type.reflection !== undefined
    for (const name of /** @type {const} */ (['extendedTypes', 'implementedTypes', 'extendedBy', 'implementedBy'])) {
      const shown = each[name]?.filter(isShown) ?? []
      if (shown.length > 0) each[name] = /** @type {never} */ (shown)
      else delete each[name]
    }
  }
}

/** @param {string} name such as `src/index`, `src/adapters/anthropic`, `testing` */
function importName(name) {
  const inside = name
    .replace(/^src\/?/, '')
    .replace(/\/?index$/, '')
    .replace(/^adapters\/conversation$/, 'adapters')
    .replace(/^adapters\//, '')
  return inside === '' ? 'pact-context' : `pact-context/${inside}`
}

/**
 * @param {SomeType | undefined} type
 * @returns {SomeType | undefined}
 */
function opened(type) {
  if (type instanceof IntersectionType) {
    type.types = type.types.map((each) => /** @type {SomeType} */ (opened(each)))
  }
  if (!(type instanceof ReferenceType) || type.name !== 'Readonly') return type
  const [inner] = type.typeArguments ?? []
  return inner instanceof ReflectionType ? inner : type
}

/** @param {SomeType | undefined} type */
function fieldsOf(type) {
  const fields = type instanceof ReflectionType ? (type.declaration.children ?? []) : []
  return fields.length < FIELDS
    ? undefined
    : fields
        .map(({ name }) => name)
        .toSorted()
        .join()
}

/** @typedef {Readonly<{ page: string, anchor: string }>} Place */

/**
 * @param {string} raw
 * @param {string} folder
 * @returns {Item}
 */
function arrange(raw, folder) {
  const files = filesUnder(raw, '.', /\.md$/)
  const places = new Map(files.map((file) => [file, placeOf(file)]))
  /** @type {Map<string, string>} */
  const pages = new Map()
  for (const file of files) {
    const { page, anchor } = /** @type {Place} */ (places.get(file))
    const text = withLinks(fs.readFileSync(path.join(raw, file), 'utf8'), file, places)
    const title = TITLES.get(path.basename(page, '.md'))
    const before = pages.get(page) ?? (anchor === '' ? '' : `# ${moduleOf(page)}: ${title}\n`)
    pages.set(page, `${before}\n${anchor === '' ? withTitle(text) : asSection(text, anchor)}`)
  }
  for (const [page, text] of pages) {
    const isList = TITLES.has(path.basename(page, '.md'))
    write(path.join(folder, page), `${isList ? '---\noutline: 2\n---\n\n' : ''}${plainer(text)}`)
  }
  return sidebarOf([...pages.keys()])
}

/**
 * Without headings that say nothing, and without classes that the package does not show.
 * @param {string} text
 */
function plainer(text) {
  return text
    .replaceAll(/^#+ Type Declaration(?: \{#[^}]*\})?\n+/gm, '')
    .replaceAll(/^#+ (?:Extends|Extended by|Implements)(?: \{#[^}]*\})?\n+(?:- [^[\n]*\n)+\n*/gm, '')
}

/**
 * Where a file of typedoc goes: `pact-context/store/type-aliases/Keep.md` to `api/store/types.md#keep`.
 * @param {string} file
 * @returns {Place}
 */
function placeOf(file) {
  if (file === 'README.md') return { page: 'api/index.md', anchor: '' }
  const parts = file.split('/').slice(1)
  const name = path.basename(file, '.md')
  if (name === 'README')
    return {
      page: path.posix.join('api', ...(parts.length === 1 ? ['main'] : parts.slice(0, -1)), 'index.md'),
      anchor: '',
    }
  const kind = parts.at(-2) ?? ''
  const folder = path.posix.join('api', ...(parts.length === 2 ? ['main'] : parts.slice(0, -2)))
  const merged = MERGED.get(kind)
  if (merged === undefined) return { page: `${folder}/${name}.md`, anchor: '' }
  return { page: `${folder}/${merged}.md`, anchor: slugOf(name) }
}

/** @param {string} page */
function moduleOf(page) {
  const name = path.posix.dirname(page).replace(/^api\/?/, '')
  return name === 'main' ? 'pact-context' : `pact-context/${name}`
}

/**
 * @param {string} text
 * @param {string} file
 * @param {Map<string, Place>} places
 */
function withLinks(text, file, places) {
  const { page, anchor: own } = /** @type {Place} */ (places.get(file))
  return mapProse(text, (prose) =>
    mapLinks(prose, (target) => {
      if (/^[a-z]+:/i.test(target)) return target
      const [before = '', hash = ''] = target.split('#', 2)
      const to = before === '' ? { page, anchor: own } : places.get(path.posix.join(path.posix.dirname(file), before))
      if (to === undefined) throw new Error(`typedoc links from ${file} to ${target}, which it has not written.`)
      const anchor = [to.anchor, hash].filter((each) => each !== '').join('-')
      const relative = path.posix.relative(path.posix.dirname(page), to.page)
      return `${to.page === page ? '' : `./${relative}`}${anchor === '' ? '' : `#${anchor}`}`
    }),
  )
}

/**
 * `# Class: Client` says `Client`; the index is called by what it is.
 * @param {string} text
 */
function withTitle(text) {
  return text.replace(/^# (?:Class|Interface): /m, '# ').replace(/^# pact-context\n+## Modules/m, '# API\n\n## Entries')
}

/**
 * A page as a section of another: headings one level deeper, anchors with the name in front.
 * @param {string} text
 * @param {string} anchor
 */
function asSection(text, anchor) {
  const taken = new Map()
  return mapProse(text, (line) => line.replaceAll('<a id="', `<a id="${anchor}-`)).replaceAll(
    /^(#+) (.+)$/gm,
    (_, marks, heading) => {
      if (marks === '#') return `## ${heading.replace(/^[A-Z][\w ]*: /, '')} {#${anchor}}`
      const slug = slugOf(heading)
      const count = taken.get(slug) ?? 0
      taken.set(slug, count + 1)
      return `${marks}# ${heading} {#${anchor}-${slug}${count === 0 ? '' : `-${count}`}}`
    },
  )
}

/**
 * @param {readonly string[]} pages
 * @returns {Item}
 */
function sidebarOf(pages) {
  const modules = [...new Set(pages.filter((page) => page !== 'api/index.md').map((page) => path.posix.dirname(page)))]
  const rank = (/** @type {string} */ page) => (page.endsWith('/functions.md') ? 0 : page.endsWith('/types.md') ? 2 : 1)
  const items = modules
    .toSorted((a, b) => Number(b === 'api/main') - Number(a === 'api/main') || (a < b ? -1 : 1))
    .map((module) => {
      const own = pages.filter((page) => path.posix.dirname(page) === module).toSorted((a, b) => rank(a) - rank(b))
      const name = moduleOf(`${module}/index.md`)
      const inside = own
        .filter((page) => !page.endsWith('/index.md'))
        .map((page) => ({
          text: TITLES.get(path.basename(page, '.md')) ?? path.basename(page, '.md'),
          link: `/${page.replace(/\.md$/, '')}`,
        }))
      return { text: name, link: `/${module}/`, collapsed: true, items: inside }
    })
  return { text: 'API', link: '/api/', collapsed: true, items }
}
