// Writes the table of routes into docs/http.md, from the table of endpoints as it was built.

import fs from 'node:fs'

import { routeTable } from '../dist/api/index.js'

const file = new URL('../docs/http.md', import.meta.url)
const text = fs.readFileSync(file, 'utf8')
fs.writeFileSync(
  file,
  text.replace(/\| route \| answer.* \|\n(?:\|.*\n)+/, () => `${routeTable()}\n`),
)
