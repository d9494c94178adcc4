// The zones of a segment or of the active head, as callers name them (D19).

import { PactError } from '../errors/index.js'
import { zoneOfOffset, type Zone } from '../core/index.js'

/** Refuses a value that is no zone. */
export function checkZone(zone: unknown): Zone | undefined {
  if (zone === undefined || zone === 'pre' || zone === 'core' || zone === 'post') return zone
  throw new PactError('E_PLACEMENT_INVALID', "A zone is 'pre', 'core' or 'post'.", { name: 'zone' })
}

/** The zone of the head; without one, the offset decides. Inside the core any offset is allowed. */
export function zoneFor(zone: unknown, offset: number | undefined): Zone {
  const wanted = checkZone(zone) ?? zoneOfOffset(offset ?? 0)
  if (offset !== undefined && wanted !== 'core' && wanted !== zoneOfOffset(offset)) throw zoneClash(wanted, offset)
  return wanted
}

export function zoneClash(zone: Zone, offset: number): PactError {
  const side = zone === 'pre' ? 'below' : 'above'
  const message = `Zone '${zone}' takes offsets ${side} 0, not ${offset}.`
  return new PactError('E_PLACEMENT_INVALID', message, { name: 'offset' })
}
