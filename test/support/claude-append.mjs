// Mirrors a transcript of the Claude Agent SDK into a store until it is killed. What was acknowledged is printed, line by line.
// node test/support/claude-append.mjs ADDRESS NAME

import { createSessionStore } from '../../dist/claude-agent-sdk/index.js'
import { openStore } from '../../dist/store/index.js'

const [address = '', name = ''] = process.argv.slice(2)
const sessions = createSessionStore(await openStore(address, { durability: 'relaxed' }))
const key = { projectKey: 'p', sessionId: 'shared' }
for (let n = 0; n < 10_000; n++) {
  const uuid = `${name} ${n}`
  const batch = [uuid, `${uuid} again`].map((each) => ({
    type: 'user',
    uuid: each,
    message: { role: 'user', content: each },
  }))
  await sessions.append(key, batch)
  // The SDK tries again if it has no answer in time.
  if (n % 3 === 0) await sessions.append(key, batch)
  process.stdout.write(`${uuid}\n`)
}
