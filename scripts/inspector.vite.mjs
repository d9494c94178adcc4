// Builds the inspector's page into dist/inspector: one script, one style sheet, names with a hash, nothing inline, so that the
// server's Content-Security-Policy needs no exception. `npm run build:inspector` gives it to Vite.

import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

export default {
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path.join(root, 'dist/inspector'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
}
