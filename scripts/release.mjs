// Makes a release: `npm run release -- 0.2.0` says what it would do, `--yes` does it. It commits and tags, and pushes nothing: the tag, once you push
// it, starts .github/workflows/release.yml, which publishes.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { placeholdersIn, readProject, setProject } from './release/project.mjs'

const HELP = `Usage: npm run release -- <version> [options]

Checks that a release can be made, runs the checks, packs, and says what it would do.

Options:
  --yes                   does it: commits the version, and tags it; pushes nothing
  --dry-run               the default
  --no-checks             leaves out the tests, for a rehearsal; not with --yes
  --check-tag <tag>       compares a tag with the versions in the files, and ends
  --set-project <n=v...>  writes facts about the project into every file that names them,
                          such as repository=https://github.com/you/pact-context, and ends
  -h, --help              this page
`
/** The files with a version. */
const MANIFESTS = ['package.json', 'package-lock.json', 'create-pact-agent/package.json']
/** The commands of .ci/run that a release waits for; the workflow of the tag runs them again. */
const CHECKS = [
  ['npm', 'test'],
  ['npm', 'run', 'test:node22'],
]
/** Files that tell users how to install, and what they say until the first release. The package on npm must not say it. */
const INSTALLS = ['README.md', 'docs/install.md', 'create-pact-agent/README.md']
const UNPUBLISHED = 'not on npm yet'
const UNRELEASED = '## Unreleased'
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Something that the caller can put right. */
class Refusal extends Error {}

try {
  main()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function main() {
  const { values: options, positionals } = readArguments()
  if (options.help) return console.log(HELP)
  if (options['set-project']) return setFacts(positionals)
  if (options['check-tag'] !== undefined) return checkTag(options['check-tag'])
  if (options.yes && options['no-checks']) throw new Refusal('release: --yes runs the checks; leave out --no-checks.')

  const [version] = positionals
  const problems = problemsOf(version)
  if (problems.length > 0) throw new Refusal(`release: not yet.\n${problems.map((each) => `- ${each}`).join('\n')}`)
  if (!options['no-checks']) for (const command of CHECKS) runCheck(command)
  const tag = `v${version}`
  console.log(`release: ${packed()}`)
  console.log(
    `release: ${options.yes ? 'writing' : 'would write'} ${version} into ${MANIFESTS.join(', ')}, and today's date into CHANGELOG.md`,
  )
  console.log(`release: ${options.yes ? 'making' : 'would make'} the commit "Release ${version}" and the tag ${tag}`)
  if (!options.yes) return console.log('release: nothing was changed; --yes does it.')
  for (const file of MANIFESTS) setVersion(file, version)
  datedChangelog(version)
  git('commit', '--quiet', '--message', `Release ${version}`, '--', ...MANIFESTS, 'CHANGELOG.md')
  git('tag', '--annotate', tag, '--message', tag)
  console.log(`release: done. Publish with: git push --follow-tags`)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        yes: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        'no-checks': { type: 'boolean', default: false },
        'check-tag': { type: 'string' },
        'set-project': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new Refusal(`release: ${error instanceof Error ? error.message : error} See --help.`)
  }
}

/** @param {readonly string[]} given */
function setFacts(given) {
  try {
    console.log(`release: changed ${setProject(root, given).join(', ') || 'nothing'}`)
  } catch (error) {
    throw new Refusal(`release: ${error instanceof Error ? error.message : error}`)
  }
}

/** @param {string} tag */
function checkTag(tag) {
  const wrong = MANIFESTS.filter((file) => `v${versionIn(file)}` !== tag)
  if (wrong.length > 0) throw new Refusal(`release: ${tag} is not the version in ${wrong.join(', ')}.`)
  if (!new RegExp(`^## ${tag.slice(1).replaceAll('.', '\\.')} `, 'm').test(read('CHANGELOG.md'))) {
    throw new Refusal(`release: CHANGELOG.md has no heading for ${tag}.`)
  }
  console.log(`release: ${tag} is the version in all files.`)
}

/**
 * Everything that is in the way, so that it can be put right at once.
 * @param {string | undefined} version
 */
function problemsOf(version) {
  const now = versionIn('package.json')
  const [, notes = ''] = read('CHANGELOG.md').split(`${UNRELEASED}\n`)
  const facts = placeholdersIn(readProject(root))
  const stale = INSTALLS.filter((file) => fs.existsSync(path.join(root, file)) && read(file).includes(UNPUBLISHED))
  return [
    ...(version === undefined || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)
      ? [`Name the version, such as npm run release -- ${next(now)}.`]
      : [
          ...(isOlder(version, now) ? [`${version} is older than ${now}, the version in package.json.`] : []),
          ...(git('tag', '--list', `v${version}`) === '' ? [] : [`The tag v${version} is there already.`]),
        ]),
    ...(git('status', '--porcelain') === '' ? [] : ['The working tree has changes that are not committed.']),
    ...(notes.split(/^## /m)[0]?.trim() === '' ? [`CHANGELOG.md has nothing under "${UNRELEASED}".`] : []),
    ...(facts.length === 0
      ? []
      : [`scripts/release/project.json has placeholders for ${facts.join(', ')}; set them with --set-project.`]),
    ...(stale.length === 0 ? [] : [`"${UNPUBLISHED}" is in ${stale.join(', ')}; say how to install from npm.`]),
  ]
}

/** @param {readonly string[]} command */
function runCheck([program = '', ...args]) {
  console.log(`release: ${[program, ...args].join(' ')}`)
  const own = process.env['npm_execpath']
  const viaNode = own !== undefined && /\.[cm]?js$/.test(own)
  const ran = spawnSync(viaNode ? process.execPath : program, viaNode ? [own, ...args] : args, {
    cwd: root,
    stdio: 'inherit',
    shell: !viaNode && process.platform === 'win32',
  })
  if (ran.status !== 0) throw new Refusal(`release: ${[program, ...args].join(' ')} failed.`)
}

/** The name and size of what npm would publish. */
function packed() {
  const windows = process.platform === 'win32'
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    shell: windows,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ name, size, entryCount }] = JSON.parse(text)
  return `${name}: ${(size / 1e6).toFixed(2)} MB packed, ${entryCount} files`
}

/** @param {string} file @param {string} version */
function setVersion(file, version) {
  const manifest = JSON.parse(read(file))
  manifest.version = version
  if (manifest.packages?.[''] !== undefined) manifest.packages[''].version = version
  fs.writeFileSync(path.join(root, file), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** Gives the notes of this release a heading of their own. @param {string} version */
function datedChangelog(version) {
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`
  const text = read('CHANGELOG.md').replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n${heading}\n`)
  fs.writeFileSync(path.join(root, 'CHANGELOG.md'), text)
}

/** @param {string} file */
function versionIn(file) {
  return JSON.parse(read(file)).version
}

/** @param {string} version */
function next(version) {
  const [major, minor] = version.split('.').map(Number)
  return `${major}.${(minor ?? 0) + 1}.0`
}

/** Compares the numbers; a first release may have the version that is in the files. @param {string} version @param {string} than */
function isOlder(version, than) {
  const numbers = (/** @type {string} */ each) => each.split(/[.-]/).slice(0, 3).map(Number)
  const before = numbers(than)
  const steps = numbers(version).map((number, at) => number - (before[at] ?? 0))
  return (steps.find((step) => step !== 0) ?? 0) < 0
}

/** @param {string} file */
function read(file) {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

/** @param {readonly string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
