import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { sqliteFile } from './store-address.js'

describe('the file of a SQLite store', () => {
  test.each([
    ['sqlite:agent.db', 'agent.db'],
    ['sqlite:/home/jane/agent.db', '/home/jane/agent.db'],
    ['sqlite:///home/jane/agent.db', '/home/jane/agent.db'],
    ['sqlite://agent.db', 'agent.db'],
    ['sqlite:', ''],
    ['sqlite://', '//'],
    ['memory:', undefined],
    ['postgres://u@h/d', undefined],
    // A folder may have this name where drives have no letters.
    ['sqlite:///C:/agent.db', '/C:/agent.db'],
  ])('%s on Linux', (address, file) => {
    expect(sqliteFile(address, 'linux')).toBe(file)
  })

  test.each([
    ['sqlite:agent.db', 'agent.db'],
    ['sqlite:C:\\data\\agent.db', 'C:\\data\\agent.db'],
    ['sqlite:C:/data/agent.db', 'C:/data/agent.db'],
    ['sqlite:/C:/data/agent.db', 'C:/data/agent.db'],
    ['sqlite://C:/data/agent.db', 'C:/data/agent.db'],
    ['sqlite:///C:/data/agent.db', 'C:/data/agent.db'],
    ['sqlite:///c:\\data\\agent.db', 'c:\\data\\agent.db'],
    ['sqlite:\\\\server\\share\\agent.db', '\\\\server\\share\\agent.db'],
    ['sqlite:/data/agent.db', '/data/agent.db'],
  ])('%s on Windows is a path that Windows has', (address, file) => {
    expect(sqliteFile(address, 'win32')).toBe(file)
    expect(path.win32.resolve('D:\\here', file)).toMatch(/^(?:[a-z]:\\|\\\\server\\share\\)(?:[\w]+\\)*agent\.db$/i)
  })
})
