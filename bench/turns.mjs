// The input of all contenders: the same texts, and for the peers the same turn as plain objects with the ids and headers
// ours has. Left out of the peers' turns is what can be derived (`created_at_iso`, hashes): that favours them.

const PROSE =
  'The customer wrote that the reset link in the mail had expired before it was opened, and asked whether a new one ' +
  'could be sent to the other address on the account. The agent looked up the plan, found two open tickets about the ' +
  'same page, and answered that links are valid for one hour, that a fresh one was on its way, and that the other ' +
  'address has to be confirmed first. After a minute the customer came back and said that everything worked now. ' +
  'Nothing else was changed on the account, and the ticket was closed with a short note for the next shift to read. '
const PROSE_TWICE = PROSE + PROSE

/**
 * Ordinary English, different for every (turn, part). It goes through a buffer because a concatenated string shares its
 * pieces with others, and then neither its bytes nor the work of reading it would be counted.
 */
export function makeText(turn, part, length = 100) {
  const start = (turn * 37 + part * 101) % PROSE.length
  const text = `${turn}.${part} ${PROSE_TWICE.slice(start, start + length)}`.slice(0, length)
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** The texts of `count` turns, made before the clock runs. */
export function makeTurnTexts(count, firstTurn = 0) {
  return Array.from({ length: count }, (_, i) => [0, 1, 2, 3].map((part) => makeText(firstTurn + i, part)))
}

/** One turn of six nodes as plain data, as an application without an engine would keep it. */
export function plainTurn(cycle, texts) {
  const seg = `seg:${cycle}-5`
  const core = `cont:${cycle}-1`
  return plainContainer(seg, 'seg', 'seq', cycle, 5, [
    plainBlock(`block:${cycle}-0`, seg, -1, cycle, 0, undefined, texts[0]),
    plainContainer(core, 'cont', seg, cycle, 1, [
      plainBlock(`block:${cycle}-2`, core, 0, cycle, 2, 'user', texts[1]),
      plainBlock(`block:${cycle}-3`, core, 1, cycle, 3, 'assistant', texts[2]),
    ]),
    plainBlock(`block:${cycle}-4`, seg, 1, cycle, 4, undefined, texts[3]),
  ])
}

/** The peers' whole tree: the turns under `^seq`. */
export function plainTree(turns) {
  return {
    seq: Array.from({ length: turns }, (_, i) =>
      plainTurn(
        i + 1,
        [0, 1, 2, 3].map((part) => makeText(i + 1, part)),
      ),
    ),
  }
}

// Whole literals rather than a spread of shared headers: V8 makes them faster and smaller, to the peers' benefit.
function plainContainer(id, nodeType, parentId, cycle, creationIndex, children) {
  const createdAtNs = cycle * 1000 + creationIndex
  return { id, nodeType, parentId, offset: 0, ttl: null, priority: 0, cycle, createdAtNs, creationIndex, children }
}

function plainBlock(id, parentId, offset, cycle, creationIndex, role, content) {
  return {
    id,
    nodeType: 'block',
    parentId,
    offset,
    ttl: null,
    priority: 0,
    cycle,
    createdAtNs: cycle * 1000 + creationIndex,
    creationIndex,
    role,
    content,
  }
}
