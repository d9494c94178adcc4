// The file in the address of a SQLite store.

/**
 * The path after `sqlite:` or `sqlite://`; undefined for any other address. On Windows a drive may have slashes before it, as in
 * `sqlite:///C:/work/agent.db`.
 */
export function sqliteFile(address: string, platform: string): string | undefined {
  if (!address.startsWith('sqlite:')) return undefined
  const file = address.slice('sqlite:'.length).replace(/^\/\/(?=.)/, '')
  return platform === 'win32' ? file.replace(/^\/+(?=[a-z]:[\\/])/i, '') : file
}
