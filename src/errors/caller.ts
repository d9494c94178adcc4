// Where an error comes from, for the one who made the call: its stack begins at their own line. The frames above it are
// ours and often more than an engine keeps, so that without this the line somebody needs is the one that is cut off.

import { PactError } from './pact-error.js'

type AnyFunction = (...args: never[]) => unknown

/** Gives the error back with a stack that begins where `call` was called; our own bugs keep the place they come from. */
function fromCaller(error: unknown, call: AnyFunction): unknown {
  // Not every engine can do this, and somebody's own code may have thrown a frozen error.
  if (PactError.is(error) && error.code !== 'E_INTERNAL' && Object.isExtensible(error)) {
    Error.captureStackTrace?.(error, call)
  }
  return error
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
  return work().catch((error: unknown) => {
    if (frames !== undefined && PactError.is(error) && error.code !== 'E_INTERNAL' && Object.isExtensible(error)) {
      error.stack = `${error.name}: ${error.message}${frames}`
    }
    throw error
  })
}

/**
 * Does the same for every method of an object or prototype. Where one public call makes another, the outer one counts; so
 * a call that lets errors of the caller's own functions pass must not be among them, or their lines would be lost.
 */
export function showCallers<T extends object>(owner: T): T {
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
      throw fromCaller(error, call)
    }
  }
  return Object.defineProperties(call, { name: { value: method.name }, length: { value: method.length } })
}
