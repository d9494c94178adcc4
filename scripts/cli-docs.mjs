// Writes docs/cli.md from the help of pctx, as it was built.

import fs from 'node:fs'

import { COMMANDS, helpDocument } from '../dist/cli/index.js'

fs.writeFileSync(new URL('../docs/cli.md', import.meta.url), helpDocument(COMMANDS))
