// Lists what the types of the providers' clients have and our tables do not know: kinds of parts, keys, ends of replies, keys of replies.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { compare, FORMATS, sourcesOf } from './wire/formats.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = path.join(ROOT, 'node_modules/.cache/wire')

const HELP = `node scripts/wire.mjs [options]

Compares the types of the providers' clients with the tables in src/adapters, as they are built in dist/, and lists what the tables do not
know: kinds of parts, keys and words in them, ends of replies, and keys of replies that nothing keeps. A line is an address in the type,
such as tool_result.content.image. What is left out on purpose is in scripts/wire/decided.mjs, with the reason.

  --latest    the newest versions on the npm registry, which are fetched into node_modules/.cache/wire (about 180 MB); else those installed
  --only A,B  these formats: ${Object.keys(FORMATS).join(', ')}
  --all       lists what is decided, too
  --json      one JSON value on standard output
  --help      this text

Ends with 0, also with a list; with 2 for wrong usage, a missing build, or types that cannot be read.`

const OPTIONS = /** @type {const} */ ({
  latest: { type: 'boolean', default: false },
  only: { type: 'string', default: Object.keys(FORMATS).join(',') },
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

try {
  await main()
} catch (error) {
  console.error(`wire: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}

async function main() {
  const { latest, only, all, json, help } = parseArgs({ options: OPTIONS }).values
  if (help) return console.log(HELP)
  const names = only.split(',')
  const unknown = names.find((name) => !Object.hasOwn(FORMATS, name))
  if (unknown !== undefined) throw new Error(`There is no format ${unknown}; see --help.`)
  // The compiler takes a second to load.
  const { schemasOf } = await import('./wire/types.mjs')
  const tables = await builtTables()
  const clients = [...new Set(names.flatMap((name) => FORMATS[name].clients))]
  if (latest) fetchNewest(clients)
  const folder = latest ? CACHE : path.join(ROOT, 'scripts')
  const schemas = schemasOf(sourcesOf(names), folder)
  const found = names.flatMap((name) => compare(name, schemas, tables))
  const listed = all ? found : found.filter(({ why }) => why === undefined)
  const versions = Object.fromEntries(clients.map((client) => [client, versionOf(client, folder)]))
  if (json) return console.log(JSON.stringify({ versions, found: listed }, null, 2))
  console.log(
    Object.entries(versions)
      .map(([client, version]) => `${client} ${version}`)
      .join(', '),
  )
  for (const { format, what, address, why } of listed) {
    console.log(`${format}  ${what}  ${address}${why === undefined ? '' : `  (${why})`}`)
  }
  const decided = found.filter(({ why }) => why !== undefined).length
  console.log(`${found.length - decided} unknown, ${decided} left out on purpose`)
}

/** The modules of the adapters, by path. */
async function builtTables() {
  const folder = new URL('../dist/adapters/', import.meta.url)
  if (!existsSync(folder)) throw new Error('There is no build; run npm run build.')
  const paths = [...new Set(Object.values(FORMATS).flatMap(({ modules }) => modules))]
  const modules = await Promise.all(paths.map((each) => import(new URL(each, folder).href)))
  const byPath = new Map(paths.map((each, at) => [each, modules[at]]))
  return (each) => byPath.get(each)
}

/** Into a folder that npm test does not read; scripts of packages are not run. */
function fetchNewest(clients) {
  console.error(`fetching ${clients.join(', ')}`)
  const quiet = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--legacy-peer-deps',
    '--loglevel=error',
  ]
  const args = ['install', '--prefix', CACHE, ...quiet, ...clients.map((client) => `${client}@latest`)]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm could not fetch the clients: ${stderr.trim()}`)
}

/** Of the package that the compiler finds from a folder. */
function versionOf(client, folder) {
  let at = folder
  while (!existsSync(path.join(at, 'node_modules', client, 'package.json'))) {
    if (path.dirname(at) === at) return 'not installed'
    at = path.dirname(at)
  }
  return JSON.parse(readFileSync(path.join(at, 'node_modules', client, 'package.json'), 'utf8')).version
}
