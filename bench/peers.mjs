// The peers: installed here and nowhere else, from the lockfile, when the bench first runs; loaded one by one, so that
// one that does not run on this machine costs its own rows only.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const stamp = `${here}node_modules/.bench-stamp`

/** Installs the peers when they are missing or were installed from another lockfile; returns whether they are there. */
export function installPeers() {
  const key = createHash('sha256')
    .update(fs.readFileSync(`${here}package-lock.json`))
    .digest('hex')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === key) return true
  process.stderr.write('bench: installing the peers (npm ci in bench/) …\n')
  // npm names itself while it runs a script; outside of one, the npm on the PATH has to do. What it prints goes to our
  // stderr: stdout belongs to the table.
  const own = process.env['npm_execpath']
  const viaNode = own !== undefined && /\.[cm]?js$/.test(own)
  const windows = process.platform === 'win32'
  // No script is run: one of them would build an SQLite of its own, where the one that we use does as well.
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
  const done = spawnSync(viaNode ? process.execPath : windows ? 'npm.cmd' : 'npm', viaNode ? [own, ...args] : args, {
    cwd: here,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: !viaNode && windows,
  })
  if (done.status === 0) fs.writeFileSync(stamp, key)
  return done.status === 0
}

/** A peer's module, or undefined after saying why: its rows then say so, too. */
export async function loadPeer(load) {
  try {
    return await load()
  } catch (error) {
    process.stderr.write(`  a peer does not run here: ${String(error.message).split('\n')[0]}\n`)
    return undefined
  }
}

/** The version that was measured, for the peer column. */
export function peerName(name) {
  const file = `${here}node_modules/${name}/package.json`
  return fs.existsSync(file) ? `${name} ${JSON.parse(fs.readFileSync(file, 'utf8')).version}` : name
}
