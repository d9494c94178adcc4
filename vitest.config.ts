import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

import { buildKeys, isBuilt } from './scripts/build-stamp.mjs'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
process.chdir(ROOT)

/**
 * True if dist/ was built from the current sources, which `npm test` makes sure of. Then tests run what was built: Node takes it as it is, while
 * sources are transformed one by one, and every name that one takes from another is looked up at each use, which makes laws up to a third
 * slower. If you have changed a source since, your tests run the source.
 */
const usesBuild = isBuilt(buildKeys().library)

/** Calls that replace modules need the sources. */
const NEEDS_SOURCES = /\bvi\.(?:mock|doMock|resetModules)\(/

/** Actions of a file that may not share its process: replacing modules or globals, changing how Node itself runs. */
const NEEDS_OWN_PROCESS =
  /\bvi\.(?:mock|doMock|resetModules|stubGlobal|stubEnv|useFakeTimers)\(|\bsetFlagsFromString\(|\bprocess\.chdir\(/

/** Laws, oracles and what starts processes: the files that take long. */
const LONG = /(?:-laws[^/]*|-oracle|-twin|-clone|-process|\/docs|\/demo|\/soak)\.test\.ts$|\/oracle\/|\/conformance\/0/

/** Suites with packages and a configuration of their own: `npm run test:node22`. */
const NODE_22 = 'test/node22/'

/** Takes a tenth of the time in a process that has nothing else in its memory. */
const LIGHT = /\/store-kills-process\.test\.ts$/

const files = testFiles().map((file) => ({ file, text: fs.readFileSync(path.join(ROOT, file), 'utf8') }))
const ofSources = files.filter(({ text }) => NEEDS_SOURCES.test(text)).map(({ file }) => file)
const ownProcess = files
  .filter(({ file, text }) => !ofSources.includes(file) && (LIGHT.test(file) || NEEDS_OWN_PROCESS.test(text)))
  .map(({ file }) => file)

const ENTRIES = {
  'pact-context/adapters': 'adapters/conversation/index',
  'pact-context/ai-sdk': 'adapters/ai-sdk/index',
  'pact-context/anthropic': 'adapters/anthropic/index',
  'pact-context/bedrock': 'adapters/bedrock/index',
  'pact-context/claude-agent-sdk': 'claude-agent-sdk/index',
  'pact-context/client': 'client/index',
  'pact-context/gemini': 'adapters/gemini/index',
  'pact-context/langgraph': 'langgraph/index',
  'pact-context/mcp': 'mcp/index',
  'pact-context/mistral': 'adapters/mistral/index',
  'pact-context/openai': 'adapters/openai/index',
  'pact-context/openai-agents': 'openai-agents/index',
  'pact-context/server': 'server/index',
  'pact-context/store': 'store/index',
  'pact-context/testing': '../testing/index',
  'pact-context/tokens': 'tokens/index',
  'pact-context': 'index',
}

/** The built file of a module under src/ or testing/; undefined where there is none, as of the page. */
function builtOf(source: string): string | undefined {
  const inside = path.relative(ROOT, source)
  if (!/^src[\\/]/.test(inside)) return undefined
  const built = path.join(ROOT, 'dist', inside.replace(/^src[\\/]/, ''))
  return fs.existsSync(built) ? built : undefined
}

/** Leads from sources to what was built of them. */
const toBuild: Plugin = {
  name: 'to what was built',
  enforce: 'pre',
  resolveId: (id, importer) => {
    // The target of an alias above.
    if (path.isAbsolute(id)) return builtOf(id.replace(/\.ts$/, '.js'))
    if (!id.startsWith('.') || importer === undefined) return undefined
    return builtOf(path.resolve(path.dirname(importer), id))
  },
}

/** A project that runs what was built, where that is what the sources say. */
const built = usesBuild ? { plugins: [toBuild], test: { server: { deps: { external: [/\/dist\/.*\.js$/] } } } } : {}

/** Long files first, so that all workers end at about the same time, also where no earlier run tells how long each takes. */
class LongFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed, shuffle } = this.ctx.config.sequence
    const sorted = shuffle
      ? specs.toSorted((a, b) => (draw(a, seed) < draw(b, seed) ? -1 : 1))
      : (await super.sort(specs)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
    // A shared process ends where the next file may not run in it, so those with their own come first.
    return sorted.toSorted((a, b) => Number(b.project.config.isolate) - Number(a.project.config.isolate))
  }
}

export default defineConfig({
  resolve: {
    alias: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, file]) => [name, path.join(ROOT, 'src', `${file}.ts`)]),
    ),
  },
  test: {
    // A busy machine takes its time; how long something took decides nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // By default one core is left idle; many tests wait for child processes, so nothing is gained by that.
    maxWorkers: os.availableParallelism(),
    sequence: { sequencer: LongFirst },
    setupFiles: [path.join(ROOT, 'test/support/fixed-seed.ts')],
    // Loading the sources for each file would take a quarter of the time of all tests together. Whatever order they
    // run in, files that share a process must not notice each other: `npx vitest run --sequence.shuffle` draws one.
    projects: [
      { extends: true, test: { name: 'sources', include: ofSources } },
      { extends: true, ...built, test: { name: 'own process', include: ownProcess, ...built.test } },
      {
        extends: true,
        ...built,
        test: {
          name: 'shared',
          isolate: false,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [`${NODE_22}**`, ...ofSources, ...ownProcess],
          ...built.test,
        },
      },
    ],
  },
})

function testFiles(): readonly string[] {
  return ['src', 'test']
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => path.posix.join(folder, file.replaceAll('\\', '/'))),
    )
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith(NODE_22))
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.test(moduleId)
}

/** The position of a file in a drawn order: the same for the same seed. */
function draw({ moduleId }: TestSpecification, seed: number): string {
  return createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')
}
