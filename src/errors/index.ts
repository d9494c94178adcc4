export { ERROR_CODES, type ErrorCode } from './codes.js'
export { PactError, type ErrorDetails } from './pact-error.js'
export { asAsyncCall, asCall, showCallers } from './caller.js'
export { describe } from './describe.js'
