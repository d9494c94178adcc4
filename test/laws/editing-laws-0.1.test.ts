import { test } from 'vitest'

import { checkEditing } from '../support/editing-law.js'

test('in PACT/0.1 a context and the naive model of editing agree after every call', { timeout: 900_000 }, () => {
  checkEditing('0.1')
})
