// The files of the inspector, each by its own path. A path from a request is only looked up, never joined to a folder.

import fs from 'node:fs/promises'
import path from 'node:path'

/** The folder of the built inspector, next to the built server. */
export const INSPECTOR_FOLDER: URL = new URL('../inspector/', import.meta.url)

export const CSP: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Files with a hash in their name never change. */
const HASHED = /^\/assets\/.*[-.][\w-]{8,}\.\w+$/

const MISSING = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>pact-context</title>
<h1>pact-context</h1>
<p>The inspector is not part of this build. The API is at <code>/v1</code>; <a href="/openapi.json">/openapi.json</a> describes it; it needs the token.</p>
</html>
`

export class StaticFiles {
  readonly #folder: string | undefined
  #files: ReadonlyMap<string, string> | undefined

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** The answer to a path; undefined if there is no such file. */
  async answer(asked: string): Promise<Response | undefined> {
    const files = await this.#list()
    const wanted = asked === '/' ? '/index.html' : asked
    const file = files.get(wanted)
    const type = TYPES[path.extname(wanted)]
    if (type === undefined || (file === undefined && wanted !== '/index.html')) return undefined
    const headers = {
      'content-type': type,
      'content-security-policy': CSP,
      'cache-control': HASHED.test(wanted) ? 'public, max-age=31536000, immutable' : 'no-cache',
    }
    return new Response(file === undefined ? MISSING : await fs.readFile(file), { headers })
  }

  /** Files by the paths of requests; listed again while there are none. */
  async #list(): Promise<ReadonlyMap<string, string>> {
    if (this.#files !== undefined) return this.#files
    const files = new Map<string, string>()
    if (this.#folder !== undefined) await collect(this.#folder, '/', files)
    if (files.size > 0) this.#files = files
    return files
  }
}

async function collect(folder: string, under: string, files: Map<string, string>): Promise<void> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const file = path.join(folder, entry.name)
    // A symbolic link may lead anywhere, and is left out.
    if (entry.isFile()) files.set(`${under}${entry.name}`, file)
    else if (entry.isDirectory()) await collect(file, `${under}${entry.name}/`, files)
  }
}
