// Stacks of errors that begin at the caller's own line. Our frames above it are often more than an engine keeps, so that without this the
// line of the caller would be cut off.

import { foreignError } from './foreign.js'
import type { PactError } from './pact-error.js'

type AnyFunction = (...args: never[]) => unknown

/** An error of the caller's function on its way through one of our calls. */
class Passing extends Error {
  readonly thrown: unknown

  constructor(thrown: unknown) {
    super()
    this.thrown = thrown
  }
}

/** Runs a function of the caller. Its errors leave the call unchanged. */
export function passing<T>(run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    throw new Passing(thrown)
  }
}

/**
 * Gives the error with a stack that begins at the caller of `call`; our own bugs keep their place. A foreign error comes from a
 * getter or a proxy in an argument and becomes the cause of a PactError; if no argument could throw, it is a bug of ours.
 */
function fromCaller(thrown: unknown, call: AnyFunction, args?: readonly unknown[]): PactError {
  const error = errorOf(thrown, call, args)
  if (isShown(error)) Error.captureStackTrace?.(error, call)
  return error
}

function errorOf(thrown: unknown, { name }: AnyFunction, args?: readonly unknown[]): PactError {
  const isOurs = args !== undefined && !args.some((arg) => typeof arg === 'object' || typeof arg === 'function')
  const message = isOurs
    ? `${name}() failed by a bug in pact-context; the cause of this error tells where.`
    : `${name}() could not read its arguments; the cause of this error is what reading them threw.`
  return foreignError(thrown, isOurs ? 'E_INTERNAL' : 'E_CONTENT_INVALID', message, { name })
}

/** True if the stack may begin at the caller; the caller's own code may have thrown a frozen error. */
function isShown(error: PactError): boolean {
  return error.code !== 'E_INTERNAL' && Object.isExtensible(error)
}

/** Does the work of an exported function, with `call` that function. */
export function asCall<T>(call: AnyFunction, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw fromCaller(error, call)
  }
}

/** Does the work of an exported function that gives a promise: when it fails, its caller is long gone from the stack. */
export function asAsyncCall<T>(call: AnyFunction, work: () => Promise<T>): Promise<T> {
  const place: { stack?: string } = {}
  Error.captureStackTrace?.(place, call)
  const frames = place.stack?.slice(place.stack.indexOf('\n    at '))
  return work().catch((thrown: unknown) => {
    const error = errorOf(thrown, call)
    if (frames !== undefined && isShown(error)) error.stack = `${error.name}: ${error.message}${frames}`
    throw error
  })
}

/**
 * Wraps every method of an object or prototype in the same way, and the getters that are named. If one public call makes another, the outer one
 * counts; an error of the caller's own functions is then the cause, with the line it comes from.
 */
export function showCallers<T extends object>(owner: T, getters: readonly (keyof T)[] = []): T {
  for (const name of getters) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name) as Readonly<{ get: AnyFunction }>
    Object.defineProperty(owner, name, { ...descriptor, get: showCaller(descriptor.get) })
  }
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    const method: unknown = descriptor.value
    if (name === 'constructor' || typeof method !== 'function') continue
    Object.defineProperty(owner, name, { ...descriptor, value: showCaller(method as AnyFunction) })
  }
  return owner
}

function showCaller(method: AnyFunction): AnyFunction {
  // By hand and not through asCall: calls that take nanoseconds come through here, and this is inlined.
  function call(this: unknown, ...args: never[]): unknown {
    try {
      return method.apply(this, args)
    } catch (error) {
      throw error instanceof Passing ? error.thrown : fromCaller(error, call, args)
    }
  }
  return Object.defineProperties(call, { name: { value: method.name }, length: { value: method.length } })
}
