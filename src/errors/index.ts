export { ERROR_CODES, type ErrorCode } from './codes.js'
export { PactError, type ErrorDetails } from './pact-error.js'
export { describe } from './describe.js'
