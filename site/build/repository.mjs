// The address of the repository, which package.json has.

import fs from 'node:fs'
import path from 'node:path'

/** @param {string} root */
export function repositoryOf(root) {
  const { repository } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
}
