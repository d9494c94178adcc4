import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    setupFiles: [fileURLToPath(new URL('../support/fixed-seed.ts', import.meta.url))],
    // The duration of a test decides nothing.
    testTimeout: 180_000,
  },
})
