// The package before its first publication: a fresh clone, packed or named as a git dependency, holds the code and can be
// loaded. For the git dependency npm installs the development tools as it does for a user, from its cache if they are
// there: all of them in `npm run soak`, and by default only those that the build needs, since that takes a third as long.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { run, runNpm } from '../support/npm.js'
import { isWider } from '../support/runs.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** An install of all tools; on a busy machine npm may take its time. */
const TIME_LIMIT_MS = 300_000
/** The files that `npm run build` uses. */
const BUILD_TOOLS = [
  '@langchain/core',
  '@langchain/langgraph-checkpoint',
  '@modelcontextprotocol/server',
  '@openai/agents-core',
  '@preact/signals',
  '@types/node',
  'commander',
  'fast-myers-diff',
  'picocolors',
  'preact',
  'typescript7',
  'vite',
]
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund']

let folder = ''
beforeAll(() => void (folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'pact-clone-'))))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe.concurrent('a fresh clone', () => {
  test('packed by `npm pack`', { timeout: TIME_LIMIT_MS }, async () => {
    const clone = await cloneInto('packed')
    // The tools are those of the tests: only the build has to be made.
    fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'), 'junction')
    await runNpm(['pack', '--pack-destination', folder], clone)
    const [tarball, ...others] = fs.readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    expect(others).toEqual([])
    await expectToWork(await installInto('of-a-tarball', path.join(folder, tarball ?? '')))
  })

  test('named as a git dependency', { timeout: TIME_LIMIT_MS }, async () => {
    const clone = await cloneInto('depended-on')
    if (!isWider()) await leaveOutTools(clone)
    await expectToWork(await installInto('of-git', `git+${pathToFileURL(clone).href}`))
  })
})

/** The files that the installed package must hold, and that it loads from both kinds of module. */
async function expectToWork(user: string): Promise<void> {
  const installed = path.join(user, 'node_modules', 'pact-context')
  const manifest = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8')) as {
    exports: { '.': { types: string; default: string } }
  }
  for (const file of Object.values(manifest.exports['.'])) expect(fs.existsSync(path.join(installed, file))).toBe(true)
  expect(fs.readdirSync(installed).toSorted()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'SKILL.md', 'dist', 'docs', 'package.json'].toSorted(),
  )
  expect(fs.readdirSync(path.join(installed, 'dist'))).not.toContain('.stamp')

  const use = `const ctx = createContext(); ctx.user('Hi'); ctx.commit(); console.log(ctx.thread('@t0')[0].content)`
  const imported = await runNode(user, 'module', `import { createContext } from 'pact-context'; ${use}`)
  expect(imported.stdout).toBe('Hi\n')

  const required = runNode(user, 'commonjs', `const { createContext } = require('pact-context'); ${use}`)
  // README says where: require of an ES module came to Node with 20.19, 22.12 and 23.
  if (canRequire()) expect((await required).stdout).toBe('Hi\n')
  else await expect(required).rejects.toThrow('ERR_REQUIRE_ESM')

  const pctx = async (...args: readonly string[]): Promise<string> =>
    (await runNpm(['exec', '--offline', '--', 'pctx', ...args], user)).stdout
  expect(await pctx('demo')).toContain('Three things to try')
  expect(await pctx('ls')).toBe('demo-support\t4\n')
}

function canRequire(): boolean {
  return (process.features as { require_module?: boolean }).require_module === true
}

function runNode(cwd: string, type: 'module' | 'commonjs', code: string): ReturnType<typeof run> {
  return run(process.execPath, [`--input-type=${type}`, '--eval', code], cwd)
}

async function cloneInto(name: string): Promise<string> {
  const clone = path.join(folder, name)
  await run('git', ['clone', '--quiet', ROOT, clone], folder)
  return clone
}

/** Commits to a clone that it has no tools but those of the build. */
async function leaveOutTools(clone: string): Promise<void> {
  const keepBuildTools = (from: { devDependencies: Record<string, string> }): void => {
    const kept = Object.entries(from.devDependencies).filter(([name]) => BUILD_TOOLS.includes(name))
    expect(kept.length).toBe(BUILD_TOOLS.length)
    from.devDependencies = Object.fromEntries(kept)
  }
  editJson(path.join(clone, 'package.json'), keepBuildTools)
  // Packages that are no longer needed may stay in the list; npm does not install them.
  editJson(path.join(clone, 'package-lock.json'), ({ packages }) => keepBuildTools(packages['']))
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
  await run('git', [...author, 'commit', '--quiet', '--all', '--message', 'Only what the build needs'], clone)
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the file holds
function editJson(file: string, edit: (value: any) => void): void {
  const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
  edit(value)
  fs.writeFileSync(file, JSON.stringify(value))
}

/** A project of a user's own, with only the packages that it asks to install. */
async function installInto(name: string, spec: string): Promise<string> {
  const user = path.join(folder, name)
  fs.mkdirSync(user)
  fs.writeFileSync(path.join(user, 'package.json'), JSON.stringify({ name, version: '1.0.0', private: true }))
  const { stdout, stderr } = await runNpm(['install', ...QUIET, spec], user)
  // npm lists packages with scripts to approve as `name@version (install: …)`. That of @photostructure/sqlite only looks for its binary.
  expect(`${stdout}${stderr}`).not.toMatch(/pact-context@|EBADENGINE/)
  return user
}
