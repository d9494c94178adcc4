export { ERROR_CODES, type ErrorCode } from './codes.js'
export { PactError, type ErrorDetails } from './pact-error.js'
export { asAsyncCall, asCall, passing, showCallers } from './caller.js'
export { describe, short } from './describe.js'
export { suggestNames } from './near-name.js'
export {
  ANYTHING,
  checkNames,
  checkOption,
  checkOptions,
  FLAG,
  FUNCTION,
  invalid,
  isRecord,
  oneOf,
  TEXT,
  wholeFrom,
  type OptionRule,
} from './options.js'
export { callOption, foreignError } from './foreign.js'
