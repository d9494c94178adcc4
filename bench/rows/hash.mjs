// Canonical JSON and its SHA-256, as they are needed for every block: against the usual pair in JavaScript and against
// the Python the documents are written in. All must give the same digest. canonicalize is held at 3.0.0: later releases
// look for lone surrogates first and are a quarter slower, and 5 needs Node 22.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'

import { assertWork, interleave, line, perCall, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeText } from '../turns.mjs'

const COUNT = 5_000

// Chapter 08's algorithm on plain dictionaries; the timing is Python's own, so that starting it costs nothing.
const PYTHON = `
import hashlib, json, sys, time
blocks = json.load(sys.stdin)
dumps, sha256 = json.dumps, hashlib.sha256
def content_hash(block):
    text = dumps(block, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
    return sha256(text.encode('utf-8')).hexdigest()
start = time.perf_counter_ns()
for block in blocks:
    last = content_hash(block)
print((time.perf_counter_ns() - start) / len(blocks), last, sys.version.split()[0])
`

export const rows = [{ title: 'canonical JSON + SHA-256 of one block', run }]

async function run({ engine, quick }) {
  const canonicalize = (await loadPeer(() => import('canonicalize')))?.default
  // Every round gets its own objects: neither a memo nor a string's cached hash may help.
  const makeBlocks = (round) =>
    Array.from({ length: COUNT }, (_, i) => ({
      content: makeText(round * COUNT + i, 0, 300),
      role: 'user',
      kind: 'text',
    }))
  const sample = (hash) => (round) => {
    const blocks = makeBlocks(round)
    // The texts have just been made; moving them out of the young generation is nobody's work here.
    globalThis.gc()
    let last = ''
    const figure = perCall(COUNT, (i) => {
      last = hash(blocks[i])
    })
    assertWork(last === expectedHash(blocks.at(-1)), 'the digest is the one chapter 08 gives')
    return figure
  }
  const pythonVersion = runPython(makeBlocks(0).slice(0, 1))?.version

  const results = await interleave(
    {
      canonicalize: canonicalize && sample((block) => createHash('sha256').update(canonicalize(block)).digest('hex')),
      python: pythonVersion && ((round) => runPython(makeBlocks(round)).figure),
      ours: engine && sample((block) => engine.contentHash(block)),
    },
    { rounds: quick ? 7 : 25 },
  )
  const row = 'canonical JSON + SHA-256 of one block'
  const compare = (peer, theirs) => line({ row, peer, theirs, ours: results.ours, unit: 'ns', goal: timesBetter(2) })
  return [
    compare(`${peerName('canonicalize')} + createHash`, results.canonicalize),
    compare(`Python ${pythonVersion ?? ''} json + hashlib`, results.python),
  ]
}

function runPython(blocks) {
  const done = spawnSync('python3', ['-c', PYTHON], { input: JSON.stringify(blocks), encoding: 'utf8' })
  if (done.status !== 0) return undefined
  const [figure, last, version] = done.stdout.trim().split(' ')
  assertWork(last === expectedHash(blocks.at(-1)), "Python's digest is the expected one")
  return { figure: Number(figure), version }
}

/** Written out for this one shape of block: keys in order, plain ASCII text without anything to escape. */
function expectedHash({ content, kind, role }) {
  return createHash('sha256').update(`{"content":"${content}","kind":"${kind}","role":"${role}"}`).digest('hex')
}
