// The symbol by which Node's util.inspect, and with it console.log, asks objects for their own text. Other hosts do not use it.

export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** The inspect function itself, which Node passes along. */
export type Inspect = (value: unknown, options: object) => string
