// Before every test file: whatever is generated is the same in every run, so that a failure can be seen again. PACT_SEED plays others.

import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PACT_SEED'] ?? 20261117) })
