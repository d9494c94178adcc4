import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** What a file must not do where others share its process: replace modules or globals, or change how Node itself runs. */
const NEEDS_OWN_PROCESS =
  /\bvi\.(?:mock|doMock|resetModules|stubGlobal|stubEnv|useFakeTimers)\(|\bsetFlagsFromString\(|\bprocess\.chdir\(/

/** Laws, oracles and what starts processes: the files that take long. */
const LONG = /(?:-laws[^/]*|-oracle|-twin|-clone|-process|\/docs|\/demo|\/soak)\.test\.ts$|\/oracle\/|\/conformance\/0/

const ownProcess = testFiles().filter((file) => NEEDS_OWN_PROCESS.test(fs.readFileSync(path.join(ROOT, file), 'utf8')))

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
    alias: {
      'pact-context/ai-sdk': path.join(ROOT, 'src/adapters/ai-sdk/index.ts'),
      'pact-context/anthropic': path.join(ROOT, 'src/adapters/anthropic/index.ts'),
      'pact-context/gemini': path.join(ROOT, 'src/adapters/gemini/index.ts'),
      'pact-context/openai': path.join(ROOT, 'src/adapters/openai/index.ts'),
      'pact-context/store': path.join(ROOT, 'src/store/index.ts'),
      'pact-context/testing': path.join(ROOT, 'src/testing/index.ts'),
      'pact-context/tokens': path.join(ROOT, 'src/tokens/index.ts'),
      'pact-context': path.join(ROOT, 'src/index.ts'),
    },
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one core is left idle; many tests wait for child processes, so nothing is gained by that.
    maxWorkers: os.availableParallelism(),
    sequence: { sequencer: LongFirst },
    // To load the sources anew for each file would take a quarter of the time of all tests together. Whatever order they
    // run in, files that share a process must not notice each other: `npx vitest run --sequence.shuffle` draws one.
    projects: [
      { extends: true, test: { name: 'own process', include: ownProcess } },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ownProcess,
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
    .filter((file) => file.endsWith('.test.ts'))
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.test(moduleId)
}

/** Where a file stands in a drawn order: the same for the same seed. */
function draw({ moduleId }: TestSpecification, seed: number): string {
  return createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')
}
