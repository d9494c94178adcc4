// The end of a switch over a closed union: it compiles only while every member has its case.

import { PactError } from '../errors/index.js'

export function unreachable(value: never): never {
  throw new PactError('E_INTERNAL', 'This is a bug in pact-context: a part of a selector has an unknown kind.', {
    value: JSON.stringify(value),
  })
}
