// Asks the matcher alone: nothing remembered, no short cut taken. What everything else has to agree with.

import { REMEMBERING } from '../../src/query/memory/remembering.js'

export function plainly<T>(ask: () => T): T {
  REMEMBERING.isOn = false
  try {
    return ask()
  } finally {
    REMEMBERING.isOn = true
  }
}
