import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    // The duration of a test decides nothing.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 40_000 } },
  },
})
