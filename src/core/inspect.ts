// Node's util.inspect, and with it console.log, asks objects for their own text by a registered symbol. Elsewhere nobody asks.

export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** What it gives along: itself, for the parts. */
export type Inspect = (value: unknown, options: object) => string
