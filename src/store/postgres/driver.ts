// The package pg, where it is installed: nobody who does not open a PostgreSQL store needs it.

import { createRequire } from 'node:module'

import { storeFault } from '../fault.js'

/** What it offers, as far as it is used here. */
export type Value = null | number | string | Uint8Array | readonly (number | Uint8Array)[]
export type Cells = Readonly<Record<string, unknown>>
export type Result = Readonly<{ rows: readonly Cells[]; rowCount: number | null }>

export type Query = Readonly<{ text: string; values?: readonly Value[]; name?: string | undefined }>

export type Client = Readonly<{
  query: (query: Query) => Promise<Result>
  /** Gives it back, or ends it. */
  release: (isBroken: boolean) => void
  /** Whether the process stays for it. */
  ref: () => void
  unref: () => void
  on: (event: 'error' | 'notice', listener: (error: Error) => void) => void
  off: (event: 'notice', listener: (error: Error) => void) => void
}>

/** A connection by itself, which hears what others tell. */
export type Listener = Readonly<{
  connect: () => Promise<void>
  query: (query: Query) => Promise<Result>
  end: () => Promise<void>
  /** The process may end although it is there. */
  unref: () => void
  on: (event: 'error' | 'end' | 'notification', listener: () => void) => void
}>

export type Pool = Readonly<{
  connect: () => Promise<Client>
  /** How many wait for a connection. */
  waitingCount: number
  end: () => Promise<void>
  on: ((event: 'error', listener: (error: Error) => void) => void) &
    ((event: 'connect', listener: (client: Client) => void) => void)
}>

type Driver = Readonly<{
  Pool: new (config: Readonly<Record<string, unknown>>) => Pool
  Client: new (config: Readonly<Record<string, unknown>>) => Listener
}>

export function openPool(config: Readonly<Record<string, unknown>>): Pool {
  return new (loadDriver().Pool)(config)
}

export function openListener(config: Readonly<Record<string, unknown>>): Listener {
  return new (loadDriver().Client)(config)
}

/** Tests look for a package that is not there. */
export function loadDriver(name = 'pg'): Driver {
  try {
    return createRequire(import.meta.url)(name) as Driver
  } catch (error) {
    const message = 'A store in PostgreSQL needs the package pg; install it with: npm install pg.'
    throw storeFault(message, 'failed', { reason: 'no-driver' }, error)
  }
}
