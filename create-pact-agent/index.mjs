#!/usr/bin/env node
// `npm create pact-agent my-agent`: copies the template into a new folder, and installs its one dependency.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const { version } = JSON.parse(fs.readFileSync(path.join(HERE, 'package.json'), 'utf8'))
const PROVIDERS = ['auto', 'anthropic', 'openai', 'scripted']

const HELP = `Usage: npm create pact-agent [folder] [-- options]

Makes a folder with a tool loop on pact-context: it can be killed anywhere, and goes on.

Options:
  --provider <name>  ${PROVIDERS.join(', ')}; auto takes the one whose key is set when the agent
                     runs (ANTHROPIC_API_KEY, OPENAI_API_KEY), else a scripted model
  --package <path>   pact-context as a file of \`npm pack\`, or as a folder: a clone, which is packed.
                     Needed until pact-context is on the registry
  --no-install       writes the files, and installs nothing
  -y, --yes          asks nothing
  -h, --help         this page
  -V, --version      the version

Example, from a clone of pact-context:
  npm pack && node create-pact-agent/index.mjs my-agent --package pact-context-${version}.tgz
`

/** Something that the caller can put right: printed without a stack. */
class UserError extends Error {}

try {
  await main()
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(`create-pact-agent: ${error.message}`)
  process.exitCode = 1
}

async function main() {
  const { values: options, positionals } = readArguments()
  if (options.help) return console.log(HELP)
  if (options.version) return console.log(version)
  checkNode()
  const { provider } = options
  if (!PROVIDERS.includes(provider)) {
    throw new UserError(`There is no provider ${provider}; there are ${PROVIDERS.join(', ')}.`)
  }
  const packed = options.package === undefined ? undefined : findPackage(options.package)
  const folder = path.resolve(positionals[0] ?? (await askName(options.yes)))
  checkFolder(folder)

  fs.mkdirSync(folder, { recursive: true })
  copyTemplate(folder, provider)
  writeManifest(folder, packed === undefined ? version : vendor(folder, packed))
  if (!options['no-install']) install(folder)
  console.log(nextSteps(folder, options['no-install']))
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        provider: { type: 'string', default: 'auto' },
        package: { type: 'string' },
        'no-install': { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'V', default: false },
      },
    })
  } catch (error) {
    throw new UserError(`${error.message} See --help.`)
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new UserError(`pact-context needs Node 20.19 or later; this is ${process.version}.`)
}

async function askName(yes) {
  if (yes || process.stdin.isTTY !== true) return 'my-agent'
  const terminal = readline.createInterface({ input: process.stdin, output: process.stdout })
  const name = await terminal.question('Folder (my-agent): ')
  terminal.close()
  return name.trim() || 'my-agent'
}

/** Refuses to write where something is already. */
function checkFolder(folder) {
  if (!fs.existsSync(folder)) return
  if (!fs.statSync(folder).isDirectory()) {
    throw new UserError(`${folder} is a file. Name a folder that does not exist yet.`)
  }
  const found = fs.readdirSync(folder).filter((name) => name !== '.git')
  if (found.length === 0) return
  const names = found.slice(0, 3).join(', ') + (found.length > 3 ? ', …' : '')
  throw new UserError(`${folder} is not empty (${names}). Name another folder, or empty this one.`)
}

function findPackage(given) {
  const file = path.resolve(given)
  if (!fs.existsSync(file)) throw new UserError(`--package: there is no ${file}.`)
  if (fs.statSync(file).isDirectory() || file.endsWith('.tgz')) return file
  throw new UserError(`--package: ${file} is neither a .tgz of npm pack nor a folder.`)
}

/** Keeps the packed file in the project, so that it does not depend on where the clone is. */
function vendor(folder, packed) {
  const into = path.join(folder, 'vendor')
  fs.mkdirSync(into)
  if (fs.statSync(packed).isDirectory()) runNpm(['pack', '--silent', '--pack-destination', into], packed)
  else fs.copyFileSync(packed, path.join(into, path.basename(packed)))
  const [name] = fs.readdirSync(into).filter((each) => each.endsWith('.tgz'))
  if (name === undefined) throw new UserError(`--package: npm pack made no file from ${packed}.`)
  return `file:vendor/${name}`
}

function copyTemplate(folder, provider) {
  for (const name of fs.readdirSync(path.join(HERE, 'template'))) {
    const text = fs.readFileSync(path.join(HERE, 'template', name), 'utf8')
    // npm packs no .gitignore.
    const target = name === 'gitignore' ? '.gitignore' : name
    fs.writeFileSync(
      path.join(folder, target),
      text.replace("const PROVIDER = 'auto'", () => `const PROVIDER = '${provider}'`),
    )
  }
}

function writeManifest(folder, dependency) {
  const manifest = {
    name: nameOf(folder),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: { start: 'node agent.mjs', inspect: 'pctx serve --store sqlite:agent.db --at chat --port 0 --open' },
    dependencies: { 'pact-context': dependency },
    // Its script only looks for a binary that comes with it; SQLite works without.
    allowScripts: { '@photostructure/sqlite': false },
  }
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** A name that npm takes. */
function nameOf(folder) {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name || 'my-agent'
}

function install(folder) {
  console.log('create-pact-agent: installing pact-context …')
  try {
    runNpm(['install', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefer-offline'], folder)
  } catch (error) {
    if (!(error instanceof UserError) || !/E404|ETARGET|ENOVERSIONS/.test(error.message)) throw error
    throw new UserError(
      `The registry has no pact-context ${version}. Until it has, pack a clone with \`npm pack\`, and name the file with --package.\n` +
        `The files are in ${folder}; remove it before you try again.`,
    )
  }
}

function runNpm(args, cwd) {
  // npm says which one it is while it runs a script.
  const own = process.env.npm_execpath
  const viaNode = own !== undefined && /npm-cli\.[cm]?js$/.test(own)
  const windows = process.platform === 'win32'
  const ran = spawnSync(viaNode ? process.execPath : windows ? 'npm.cmd' : 'npm', viaNode ? [own, ...args] : args, {
    cwd,
    encoding: 'utf8',
    shell: !viaNode && windows,
    // An outer npm hands its options down, such as a prefix or a dry run.
    env: Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^npm_(?:config_(?:global|prefix|dry_run|local_prefix)|package_|lifecycle_)/i.test(name),
      ),
    ),
  })
  if (ran.error !== undefined) throw new UserError(`npm does not start: ${ran.error.message}`)
  if (ran.status !== 0) throw new UserError(`npm ${args[0]} failed:\n${ran.stderr || ran.stdout}`)
}

function nextSteps(folder, isBare) {
  const shown = path.relative(process.cwd(), folder) || '.'
  const steps = [
    ...(shown === '.' ? [] : [`cd ${/\s/.test(shown) ? JSON.stringify(shown) : shown}`]),
    ...(isBare ? ['npm install'] : []),
    'npm start',
  ]
  return `
The agent is in ${shown}. Try:

${steps.map((step) => `  ${step}`).join('\n')}

Kill it while it works and start it again: it goes on. \`npm run inspect\` shows what was sent.
Set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real model.`
}
