// The address of the repository: `repository` of package.json, and until it has one the placeholder of README.md.

import fs from 'node:fs'
import path from 'node:path'

const PLACEHOLDER = 'https://git.example/you/pact-context'

/** @param {string} root */
export function repositoryOf(root) {
  const { repository } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const url = typeof repository === 'string' ? repository : (repository?.url ?? PLACEHOLDER)
  return url.replace(/^git\+/, '').replace(/\.git$/, '')
}
