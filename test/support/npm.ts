// Runs npm and Node as a user would, in a folder of the test's choice.

import { execFile } from 'node:child_process'

export type Ran = Readonly<{ stdout: string; stderr: string }>

/** Runs the npm that runs the tests, or the one on the path. */
export function runNpm(args: readonly string[], cwd: string): Promise<Ran> {
  const own = process.env['npm_execpath']
  if (own !== undefined && /\.[cm]?js$/.test(own)) return run(process.execPath, [own, ...args], cwd)
  return process.platform === 'win32' ? run('npm.cmd', args, cwd, true) : run('npm', args, cwd)
}

/** Gives what a program printed; rejects with its complaints where it fails. */
export function run(command: string, args: readonly string[], cwd: string, shell = false): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const options = { cwd, shell, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NODE_OPTIONS: '' } }
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else reject(new Error(`${command} ${args[0]} failed:\n${stderr}`, { cause: error }))
    })
  })
}
