// The program `pctx` in a few files: Node takes half a millisecond for each module that it loads, and the library has hundreds. What a
// command does not need stays in a file of its own, loaded when it is asked for. `npm run build` calls it after the compiler.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// It comes with Vite, in the version that package.json pins.
import { rolldown } from 'rolldown'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, 'dist/cli/bundle')

/** Packages that every command needs are joined, too: Node looks long for a package, and reads CommonJS twice. */
const JOINED = ['commander', 'picocolors']
/** What stands for modules that a terminal never needs. */
const INSTEAD = {
  // Node has its own hash, which the library asks for first; the portable one is for browsers.
  '@noble/hashes/sha2.js': `
    import { createHash } from 'node:crypto'
    export const sha256 = (bytes) => createHash('sha256').update(bytes).digest()`,
  // commander starts programs for commands that are programs of their own. None is, and this is a lot for Node to load.
  'node:child_process': 'export default {}',
}
/** Whether something else stands for a module there. */
const isOther = (id, importer = '') =>
  id in INSTEAD && (!id.startsWith('node:') || /[\\/]commander[\\/]/.test(importer))

fs.rmSync(folder, { recursive: true, force: true })
// Whoever builds by hand builds from whatever is there; scripts/setup.mjs knows, and says so afterwards.
fs.rmSync(path.join(root, 'dist/.stamp'), { force: true })
const bundle = await rolldown({
  input: { pctx: path.join(root, 'dist/cli/pctx.js') },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // Other packages are loaded from where they are installed.
  external: (id, importer) => !/^[./\0]/.test(id) && !JOINED.includes(id) && !isOther(id, importer),
  plugins: [
    {
      name: 'apart',
      resolveId: (id, importer) => {
        // The server runs from the compiled files, beside the pages that it serves.
        if (id.endsWith('/serving.js')) return { id: '../serving.js', external: 'absolute' }
        return isOther(id, importer) ? `\0${id}` : undefined
      },
      load: (id) => INSTEAD[id.replace('\0', '')],
    },
  ],
})

/** Modules by the beginning of their paths, under dist/, among the packages, or made up here. */
const among = (...paths) => new RegExp(`(?:(?:dist|node_modules)/|\0)(?:${paths.join('|')})`.replaceAll('/', '[\\\\/]'))

await bundle.write({
  dir: folder,
  format: 'esm',
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  chunkFileNames: '[name].js',
  // Many small files would bring the cost back: what every command needs is one, what lists contexts another, and so are the adapters
  // and all the rest of the library.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        name: 'start',
        test: among(
          ...JOINED.map((name) => `${name}/`),
          'node:',
          'errors/',
          'formats/',
          'api/(?:fields|schema)\\.',
          'core/cause',
          'cli/(?!actions|open-|near-ids|columns|completion-scripts|demo-turns|diff-lines|endpoint-input|pager|progress)',
        ),
      },
      {
        name: 'list',
        test: among(
          'store/(?:catalog|open-rows|options|fault|compare|event-loop|seal|settled|sql|sqlite|memory)\\b',
          'core/(?:order|one-line)\\.',
        ),
      },
      { name: 'adapters', test: among('adapters/') },
      { name: 'library', test: among('(?!cli|commands/(?:importing|costing))') },
    ],
  },
})
fs.chmodSync(path.join(folder, 'pctx.js'), 0o755)
// Whoever passes on what is joined passes on under which terms.
const terms = JOINED.map(
  (name) => `${name}\n\n${fs.readFileSync(path.join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
)
fs.writeFileSync(path.join(folder, 'LICENSES.txt'), terms.join('\n\n'))

// The commands as one script for a page without a server. Modules of Node that the page never calls are empty there.
const page = await rolldown({
  input: path.join(root, 'dist/offline/index.js'),
  platform: 'browser',
  plugins: [
    {
      name: 'no-node',
      resolveId: (id) => (id.startsWith('node:') ? `\0${id}.cjs` : undefined),
      load: (id) => (id.startsWith('\0node:') ? 'module.exports = {}' : undefined),
    },
  ],
})
await page.write({
  file: path.join(root, 'dist/offline/page.js'),
  format: 'iife',
  minify: true,
  codeSplitting: false,
})
