import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
export default defineConfig({
    resolve: { alias: { 'pact-context': fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
    test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
