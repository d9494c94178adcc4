// The tools: the description that the model gets, and the function. Replace them with yours.

import fs from 'node:fs'

const FILE = 'bookings.json'
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

export const TOOLS = [
  { name: 'weather', description: 'The temperature in a city, in degrees Celsius.', schema: city, run: weather },
  { name: 'book', description: 'Books a train to a city.', schema: city, run: book },
]

/** Runs a call of the model. What goes wrong is a result, too: the model sees it and can do something else. */
export async function runTool(call) {
  try {
    const tool = TOOLS.find(({ name }) => name === call.name)
    if (tool === undefined) throw new Error(`There is no tool ${call.name}.`)
    return { content: JSON.stringify(await tool.run(call.arguments ?? {}, call.id)), error: false }
  } catch (error) {
    return { content: String(error.message ?? error), error: true }
  }
}

async function weather({ city: name }) {
  // Made up from the letters, so that it needs no network.
  const letters = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0)
  return { city: name, degrees: 25 - (letters % 20) }
}

/** A tool with an effect. A process may die after it and before the save, so the id of the call is its key: a second run books nothing. */
async function book({ city: name }, id) {
  const bookings = fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : {}
  bookings[id] ??= { city: name, seat: `${Object.keys(bookings).length + 1}A` }
  fs.writeFileSync(FILE, `${JSON.stringify(bookings, undefined, 2)}\n`)
  return bookings[id]
}
