// The HTTP status of every error code (D40, API). A code without a status does not compile.

import { PactError, type ErrorCode } from '../errors/index.js'

export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  E_SELECTOR_INVALID: 400,
  E_SELECTOR_LEGACY: 400,
  E_SELECTOR_TOO_LARGE: 413,
  E_SNAPSHOT_NOT_FOUND: 404,
  E_SNAPSHOT_RANGE_KIND_MISMATCH: 400,
  E_SNAPSHOT_RANGE_WILDCARD: 400,
  E_SNAPSHOT_RANGE_LIMIT: 400,
  E_HISTORY_NOT_LOADED: 503,
  E_DEPTH_INVALID: 400,
  E_PLACEMENT_INVALID: 400,
  E_DUPLICATE_CORE: 409,
  E_PARENT_NOT_FOUND: 422,
  E_PARENT_NOT_CONTAINER: 422,
  E_CYCLE_DETECTED: 422,
  E_SEALED_CORE: 422,
  E_SEGMENT_MOVE: 422,
  E_NOT_AUTHORIZED: 403,
  E_ODI_VIOLATION: 409,
  E_TTL_INVALID: 400,
  E_CADENCE_INVALID: 400,
  E_RESERVED_NAME: 400,
  E_ID_DUPLICATE: 409,
  E_NODE_NOT_FOUND: 404,
  E_CONTENT_INVALID: 400,
  E_SNAPSHOT_INVALID: 400,
  E_BUDGET: 422,
  E_CONFLICT: 409,
  E_STORE: 503,
  E_INTERNAL: 500,
}

export function statusOf({ code, details }: PactError): number {
  // A missing context is no failure of the store.
  return code === 'E_STORE' && details['reason'] === 'missing' ? 404 : HTTP_STATUS[code]
}

/** A refusal by the HTTP layer, with its status and headers. */
export class Refusal extends Error {
  readonly status: number
  readonly error: PactError
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, error: PactError, headers: Readonly<Record<string, string>> = {}) {
    super(error.message)
    this.status = status
    this.error = error
    this.headers = headers
  }
}

/** Makes a refusal. */
export function refused(
  status: number,
  code: ErrorCode,
  message: string,
  details: PactError['details'] = {},
  headers?: Readonly<Record<string, string>>,
): Refusal {
  return new Refusal(status, new PactError(code, message, details), headers)
}
