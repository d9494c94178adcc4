// The library and the program `pctx` as they are packed: a few files that they share, in place of the hundreds that the compiler writes. Node takes half a
// millisecond for each file that it loads, and a copy for the program would double the package. What a command does not need stays in a file of
// its own, loaded when it is asked for. `npm run build` calls this after the compiler.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

// It comes with Vite, in the version that package.json pins.
import { rolldown } from 'rolldown'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, 'dist')
const folder = path.join(dist, 'bundle')

/** Packages that every command needs are joined, too: Node looks long for a package, and reads CommonJS twice. */
const JOINED = ['commander', 'picocolors']
/**
 * commander asks for modules of Node as CommonJS does, for which every file would load `node:module`, also in a browser. It starts programs for commands
 * that are programs of their own: none is, and that is a lot for Node to load.
 */
const asModule = (name) =>
  name === 'node:child_process' ? 'export default {}' : `import it from '${name}'\nexport { it as 'module.exports' }`
const isAsked = (id, importer = '') => id.startsWith('node:') && /[\\/]commander[\\/]/.test(importer)

const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
/** The compiled files of what package.json exports, which its types name, by the names of the packed ones. */
const entries = Object.fromEntries(
  Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? []
      : [[path.basename(target.default, '.js'), path.join(root, target.types.replace(/\.d\.ts$/, '.js'))]],
  ),
)

fs.rmSync(folder, { recursive: true, force: true })
// A build by hand is of whatever sources are there; scripts/setup.mjs knows, and says so afterwards.
fs.rmSync(path.join(dist, '.stamp'), { force: true })
const bundle = await rolldown({
  input: { ...entries, pctx: path.join(dist, 'cli/pctx.js'), serving: path.join(dist, 'cli/serving.js') },
  // For Node, the helpers of CommonJS would import `node:module`.
  platform: 'neutral',
  resolve: { conditionNames: ['node'], mainFields: ['main'] },
  preserveEntrySignatures: 'allow-extension',
  // Other packages are loaded from where they are installed.
  external: (id, importer) =>
    !/^[./\0]/.test(id) && !path.isAbsolute(id) && !JOINED.includes(id) && !isAsked(id, importer),
  plugins: [
    {
      name: 'modules of Node for CommonJS',
      resolveId: (id, importer) => (isAsked(id, importer) ? `\0${id}` : undefined),
      load: (id) => (id.startsWith('\0node:') ? asModule(id.slice(1)) : undefined),
    },
  ],
})

const isEntry = new Set(Object.values(entries))
/** Modules by the beginning of their paths, under dist/, among the packages, or made up here. The entries only list names. */
const among = (...paths) => {
  const pattern = new RegExp(`(?:(?:dist|node_modules)/|\0)(?:${paths.join('|')})`.replaceAll('/', '[\\\\/]'))
  return (id) => !isEntry.has(path.normalize(id)) && pattern.test(id)
}

await bundle.write({
  dir: folder,
  format: 'esm',
  // Without comments, but with lines: Node prints the line in which an error was thrown.
  comments: { jsdoc: false },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
  chunkFileNames: '[name].js',
  // Many small files would bring the cost back. What `pctx ls` loads is in `base`, `fields`, `pctx` and `list`, and nothing else is.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: 'base', test: among('errors/', 'formats/', 'core/(?:cause|order|one-line|store-address)\\.') },
      { name: 'fields', test: among('api/(?:fields|schema)\\.') },
      {
        name: 'start',
        test: among(
          ...JOINED.map((name) => `${name}/`),
          'node:',
          'cli/(?!actions|open-|near-ids|columns|completion-scripts|demo-turns|diff-lines|endpoint-input|pager|progress|serving)',
        ),
      },
      {
        name: 'list',
        test: among('store/(?:catalog|open-rows|options|fault|compare|event-loop|seal|settled|sql|sqlite|memory)\\b'),
      },
      { name: 'providers', test: among('adapters/') },
      // The rooms that also run in a browser.
      {
        name: 'engine',
        test: among('(?:core|codec|timeline|thread|query|selector|diff|edit|commit|context|attempts|reports|tokens)/'),
      },
      { name: 'stores', test: among('store/') },
      { name: 'api', test: among('api/') },
      { name: 'commands', test: among('commands/(?!importing|costing)') },
    ],
  },
})
fs.chmodSync(path.join(folder, 'pctx.js'), 0o755)
// The licences of joined packages have to be passed on.
const terms = JOINED.map(
  (name) => `${name}\n\n${fs.readFileSync(path.join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
)
fs.writeFileSync(path.join(folder, 'LICENSES.txt'), terms.join('\n\n'))

// The commands as one script for a page without a server. Modules of Node that the page never calls are empty there.
const page = await rolldown({
  input: path.join(dist, 'offline/index.js'),
  platform: 'browser',
  plugins: [
    {
      name: 'no-node',
      resolveId: (id) => (id.startsWith('node:') ? `\0${id}.cjs` : undefined),
      load: (id) => (id.startsWith('\0node:') ? 'module.exports = {}' : undefined),
    },
  ],
})
const { output } = await page.generate({ format: 'iife', minify: true, codeSplitting: false })
// Compressed, since it is a seventh of the package even so. `pctx open --html` alone reads it.
fs.writeFileSync(path.join(dist, 'offline/page.js.br'), brotliCompressSync(output[0].code))
