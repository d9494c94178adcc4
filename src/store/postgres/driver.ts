// The package pg, loaded only for PostgreSQL stores.

import { createRequire } from 'node:module'

import { storeFault } from '../fault.js'

/** The part of its interface that is used here. */
export type Value = null | number | string | Uint8Array | readonly (number | Uint8Array)[]
export type Cells = Readonly<Record<string, unknown>>
export type Result = Readonly<{ rows: readonly Cells[]; rowCount: number | null }>

export type Query = Readonly<{ text: string; values?: readonly Value[]; name?: string | undefined }>

export type Client = Readonly<{
  query: (query: Query) => Promise<Result>
  /** Returns it to the pool, or closes it if broken. */
  release: (isBroken: boolean) => void
  on: (event: 'error' | 'notice', listener: (error: Error) => void) => void
  off: (event: 'notice', listener: (error: Error) => void) => void
}>

/** A connection of its own that receives notifications. */
export type Listener = Readonly<{
  connect: () => Promise<void>
  query: (query: Query) => Promise<Result>
  end: () => Promise<void>
  /** Lets the process exit while it is open. */
  unref: () => void
  /** Keeps the process alive again. */
  ref: () => void
  on: (event: 'error' | 'end' | 'notification', listener: () => void) => void
}>

export type Pool = Readonly<{
  connect: () => Promise<Client>
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

/** Tests pass the name of a missing package. */
export function loadDriver(name = 'pg'): Driver {
  try {
    return createRequire(import.meta.url)(name) as Driver
  } catch (error) {
    const message = 'A store in PostgreSQL needs the package pg; install it with: npm install pg.'
    throw storeFault(message, 'failed', { reason: 'no-driver' }, error)
  }
}
