import os from 'node:os'
import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: {
      'pact-context/tokens': fileURLToPath(new URL('./src/tokens/index.ts', import.meta.url)),
      'pact-context': fileURLToPath(new URL('./src/index.ts', import.meta.url)),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one core is left idle; many tests wait for child processes, so nothing is gained by that.
    maxWorkers: os.availableParallelism(),
  },
})
