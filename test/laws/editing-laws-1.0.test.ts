import { test } from 'vitest'

import { checkEditing } from '../support/editing-law.js'

test('in PACT/1.0 a context and the naive model of editing agree after every call', { timeout: 900_000 }, () => {
  checkEditing('1.0')
})
