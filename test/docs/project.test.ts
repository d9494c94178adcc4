// The files of a public project: the workflows run what .ci/run runs, with pinned actions; placeholders are in one list; and a release is made in a small
// repository of its own.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PLACEHOLDER = /pact-context-owner|pact-context\.example/

type Step = Readonly<{ uses?: string; run?: string; with?: Readonly<Record<string, unknown>> }>
type Job = Readonly<{
  strategy?: { matrix: Readonly<Record<string, readonly unknown[]>> }
  needs?: string
  steps: readonly Step[]
}>
type Workflow = Readonly<{ on: object; permissions: object; jobs: Readonly<Record<string, Job>> }>

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8')
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`)) as Workflow
const commandsOf = ({ steps }: Job): readonly string[] => steps.flatMap(({ run }) => run ?? [])

/** The commands of npm in .ci/run, in their order. */
const WANTED = read('.ci/run')
  .split('\n')
  .filter((line) => line.startsWith('npm '))

describe('the workflows', () => {
  const names = fs.readdirSync(path.join(ROOT, '.github/workflows')).map((file) => path.basename(file, '.yml'))

  test('are those of the tests and of a release', () => {
    expect(names.sort()).toEqual(['ci', 'release'])
    expect(WANTED).toEqual([
      'npm test',
      'npm run test:node22',
      'npm run site -- --test',
      expect.stringMatching(/^npm run soak -- --minutes \d+$/),
    ])
  })

  test('ci runs the commands of .ci/run, on each supported Node, on Linux and macOS, and what can run on Windows', () => {
    const { test: tests, windows, site, soak } = workflow('ci').jobs
    expect([...commandsOf(tests!), ...commandsOf(site!), ...commandsOf(soak!)]).toEqual(WANTED)
    expect(tests!.strategy?.matrix).toEqual({ os: ['ubuntu-24.04', 'macos-15'], node: [20, 22, 24] })
    expect(commandsOf(windows!)[0]).toBe('npm run check')
  })

  test('release publishes both packages with provenance, after the tests', () => {
    const { test: tests, publish } = workflow('release').jobs
    expect(commandsOf(tests!)).toEqual(WANTED.slice(0, 2))
    expect(publish!.needs).toBe('test')
    expect(commandsOf(publish!)).toEqual([
      'npm run release -- --check-tag "$GITHUB_REF_NAME"',
      'npm publish --provenance --access public $DRY_RUN',
      'npm publish ./create-pact-agent --provenance --access public $DRY_RUN',
    ])
  })

  test.each(names)('%s pins its actions, runs scripts that exist, and may only read by default', (name) => {
    const { permissions, jobs } = workflow(name)
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.length).toBeGreaterThan(0)
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
    expect(permissions).toEqual({ contents: 'read' })
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const called = steps.flatMap(({ run = '' }) => /^npm run (\S+)/.exec(run)?.[1] ?? [])
    expect(called.filter((script) => !(script in scripts))).toEqual([])
  })

  test('templates of issues are forms whose fields have names of their own', () => {
    for (const file of ['bug', 'idea']) {
      const form = parse(read(`.github/ISSUE_TEMPLATE/${file}.yml`)) as {
        name: string
        body: readonly { type: string; id?: string }[]
      }
      const ids = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id)
      expect(ids.length).toBeGreaterThan(2)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).not.toContain(undefined)
    }
  })
})

test('the notes on what is not released yet are short enough for a user to read', () => {
  const [, notes = ''] = read('CHANGELOG.md').split('## Unreleased\n')
  expect(notes.split(/^## /m)[0]!.length).toBeLessThan(16_000)
})

describe('facts that only the owner knows', () => {
  test('are named in one place, with every file that holds a placeholder', async () => {
    const { FILES, placeholdersIn, readProject } = await import('../../scripts/release/project.mjs')
    const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const own = ['scripts/release/', 'test/docs/project.test.ts', 'CHANGELOG.md']
    const holding = tracked
      .trim()
      .split('\n')
      .filter((file) => !own.some((each) => file.startsWith(each)))
      .filter((file) => fs.statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true)
      .filter((file) => PLACEHOLDER.test(read(file)))
    const project = readProject(ROOT)
    const named = placeholdersIn(project).length === 0 ? [] : [...FILES]
    expect(holding.sort()).toEqual(named.sort())
    expect(Object.keys(project)).toEqual(['repository', 'homepage', 'author', 'security', 'conduct'])
  })

  test('both packages have the same ones, and the same version', () => {
    const manifests = ['package.json', 'create-pact-agent/package.json'].map(
      (file) => JSON.parse(read(file)) as Record<string, unknown>,
    )
    const [ours, creator] = manifests.map(({ version, author, homepage, bugs, repository }) => {
      return { version, author, homepage, bugs, url: (repository as { url: string }).url }
    })
    expect(creator).toEqual(ours)
    expect(Object.values(ours!)).not.toContain(undefined)
  })
})

describe('npm run release', () => {
  let folder = ''
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'pact-release-'))
    fs.cpSync(path.join(ROOT, 'scripts/release.mjs'), path.join(folder, 'scripts/release.mjs'))
    fs.cpSync(path.join(ROOT, 'scripts/release'), path.join(folder, 'scripts/release'), { recursive: true })
    const scripts = { test: 'node -e 0', 'test:node22': 'node -e 0' }
    const named = [
      '.github/ISSUE_TEMPLATE/config.yml',
      'CODE_OF_CONDUCT.md',
      'README.md',
      'SECURITY.md',
      'docs/install.md',
    ]
    for (const file of named) write(file, read(file))
    write(
      'package.json',
      JSON.stringify({
        name: 'a',
        version: '0.1.0',
        repository: 'https://github.com/pact-context-owner/pact-context',
        scripts,
      }),
    )
    write('create-pact-agent/package.json', JSON.stringify({ name: 'create-a', version: '0.1.0' }))
    write('package-lock.json', JSON.stringify({ name: 'a', version: '0.1.0', packages: { '': { version: '0.1.0' } } }))
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-01)\n\n- The first one.\n')
    git('init', '--quiet')
    commit('Start')
    return () => fs.rmSync(folder, { recursive: true, force: true })
  })

  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), text)
  }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const commit = (message: string): void => {
    git('add', '--all')
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message', message)
  }
  const release = (...args: readonly string[]): Readonly<{ status: number | null; stdout: string; stderr: string }> =>
    spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 't',
        GIT_AUTHOR_EMAIL: 't@localhost',
        GIT_COMMITTER_NAME: 't',
        GIT_COMMITTER_EMAIL: 't@localhost',
      },
    })

  test('names everything that is in the way at once', () => {
    git('tag', 'v0.0.9')
    write('new.txt', 'not committed')
    const { status, stderr } = release('0.0.9')
    fs.rmSync(path.join(folder, 'new.txt'))
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([
      'release: not yet.',
      '- 0.0.9 is older than 0.1.0, the version in package.json.',
      '- The tag v0.0.9 is there already.',
      '- The working tree has changes that are not committed.',
      '- CHANGELOG.md has nothing under "## Unreleased".',
      '- scripts/release/project.json has placeholders for repository, homepage, security, conduct; set them with --set-project.',
      '- "not on npm yet" is in README.md, docs/install.md; say how to install from npm.',
    ])
    expect(release('next').stderr).toContain('- Name the version, such as npm run release -- 0.2.0.')
  })

  test('writes the facts of the project into every file that names them', () => {
    expect(release('--set-project', 'colour=red').stderr).toContain('"colour=red" is no fact')
    const facts = [
      'repository=https://github.com/acme/pact',
      'homepage=https://pact.acme.dev',
      'security=safe@acme.dev',
      'conduct=us@acme.dev',
    ]
    const { status } = release('--set-project', ...facts)
    expect(status).toBe(0)
    expect(git('grep', '--name-only', 'acme').split('\n')).toEqual([
      '.github/ISSUE_TEMPLATE/config.yml',
      'CODE_OF_CONDUCT.md',
      'README.md',
      'SECURITY.md',
      'docs/install.md',
      'package.json',
      'scripts/release/project.json',
    ])
    expect(
      spawnSync('git', ['grep', '-E', PLACEHOLDER.source, '--', ':!scripts/release/project.mjs'], { cwd: folder })
        .status,
    ).toBe(1)
    for (const file of ['README.md', 'docs/install.md']) write(file, '# A package\n\nnpm install a\n')
    commit('The project has a home')
  })

  test('says what it would do, and with --yes does it: a commit and a tag, and nothing is pushed', () => {
    write(
      'CHANGELOG.md',
      '# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.1.0 (2026-11-01)\n\n- The first one.\n',
    )
    commit('A new thing')
    const head = git('rev-parse', 'HEAD')
    const rehearsed = release('0.2.0')
    expect(rehearsed.stdout).toMatch(
      /would make the commit "Release 0\.2\.0" and the tag v0\.2\.0\nrelease: nothing was changed; --yes does it\.\n$/,
    )
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([head, '', 'v0.0.9'])

    const made = release('0.2.0', '--yes')
    expect(made.stdout).toContain('git push --follow-tags')
    expect([git('log', '-1', '--format=%s'), git('status', '--porcelain'), git('tag')]).toEqual([
      'Release 0.2.0',
      '',
      'v0.0.9\nv0.2.0',
    ])
    expect(git('show', 'HEAD:CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- A new thing\.\n\n## 0\.1\.0/,
    )
    expect(release('--check-tag', 'v0.2.0')).toMatchObject({ status: 0, stderr: '' })
    expect(release('--check-tag', 'v0.3.0').stderr).toContain(
      'v0.3.0 is not the version in package.json, package-lock.json, create-pact-agent/package.json.',
    )
  })

  test('stops where a check fails', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as { scripts: object }
    write(
      'package.json',
      JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, test: 'node -e "process.exit(1)"' } }),
    )
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- More.\n')
    commit('Broken')
    expect(release('0.3.0', '--yes')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('release: npm test failed.'),
    })
    expect(git('tag')).not.toContain('v0.3.0')
  })
})
