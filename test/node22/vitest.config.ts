import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

const inRepository = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    // examples/mastra.ts and pi.ts import what only this folder has installed.
    alias: [
      {
        find: /^@mastra\/core\/(.+)$/,
        replacement: inRepository('test/node22/node_modules/@mastra/core/dist/$1/index.js'),
      },
      { find: /^pact-context$/, replacement: inRepository('src/index.ts') },
      { find: /^pact-context\/ai-sdk$/, replacement: inRepository('src/adapters/ai-sdk/index.ts') },
      { find: /^pact-context\/(store|tokens)$/, replacement: inRepository('src/$1/index.ts') },
    ],
  },
  test: {
    include: ['*.test.ts'],
    setupFiles: [inRepository('test/support/fixed-seed.ts')],
    // The duration of a test decides nothing.
    testTimeout: 180_000,
  },
})
