// A tree as programs choose from it: parsed from an export, laid out by place.

/**
 * @typedef {Readonly<Record<string, any>>} Json
 * @typedef {Readonly<{ node: Json, parent: Placed | undefined, region: string, depth: number | undefined, offsets: readonly number[], segment: string }>} Placed
 * @typedef {Readonly<{ text: string, dialect: string, cycle: number, cycles: readonly number[], places: readonly Placed[], nodes: readonly Placed[],
 *   boxes: readonly Placed[], ids: readonly string[], refs: readonly string[], keys: readonly string[], earlier: readonly string[] }>} Scene
 */

/**
 * @param {string} text an export of the open cycle
 * @param {Readonly<{ dialect: string, cycles: readonly number[], earlier: readonly string[] }>} about
 * @returns {Scene}
 */
export function sceneOf(text, { dialect, cycles, earlier }) {
  const document = JSON.parse(text)
  const places = placesOf(document)
  const nodes = places.filter(({ node }) => !node.nodeType.startsWith('^'))
  const ids = nodes.map(({ node }) => node.id)
  const scheduled = (document.schedules ?? []).map(({ key }) => key)
  return {
    text,
    dialect,
    cycle: document.cycle,
    cycles,
    places,
    nodes,
    boxes: places.filter(({ node }) => node.children !== undefined && node.nodeType !== '^root'),
    ids,
    refs: [...ids.slice(-6), ...ids.slice(0, 3), ...earlier.slice(-2), 'nothing'],
    keys: [...new Set([...nodes.flatMap(({ node }) => (node.key === undefined ? [] : [node.key])), ...scheduled])],
    earlier,
  }
}

/** Every node, parents first. @param {Json} document @returns {readonly Placed[]} */
function placesOf({ root }) {
  const places = []
  const visit = (node, parent, region, depth, offsets, segment) => {
    const placed = { node, parent, region, depth, offsets, segment }
    places.push(placed)
    const children = node.children ?? []
    for (const [at, child] of children.entries()) {
      if (node.nodeType === '^root') {
        const depths = { '^sys': -1, '^ah': 0 }
        visit(child, placed, child.nodeType, depths[child.nodeType], [], child.id)
      } else if (node.nodeType === '^seq') visit(child, placed, region, children.length - at, [], child.id)
      else visit(child, placed, region, depth, [...offsets, child.offset], segment)
    }
  }
  visit(root, undefined, '', undefined, [], '')
  return places
}

/**
 * True if a call and its result, or two nodes that name one call, are in different turns of this export. Requests of such trees may differ
 * between versions on purpose.
 * @param {string} text
 */
export function crossesTurns(text) {
  if (text !== asked) [asked, answer] = [text, isCrossing(text)]
  return answer
}

/** The last question: all adapters put the same one. */
let asked = ''
let answer = false

/** The id of a call of a tool that the provider runs, or of its result. */
function serverCall(content) {
  const isTool = typeof content?.type === 'string' && /_tool_(?:use|result)$/.test(content.type)
  return isTool ? (content.tool_use_id ?? content.id) : undefined
}

function isCrossing(text) {
  if (!/"(?:call|result|data_call_id|tool_use_id)"/.test(text)) return false
  const places = placesOf(JSON.parse(text))
  const segments = new Map(places.map(({ node, segment }) => [node.id, segment]))
  const turns = new Map()
  for (const { node, segment } of places) {
    const own = node.data_call_id ?? serverCall(node.content)
    if (node.kind !== 'call' && node.kind !== 'result' && own === undefined) continue
    const id = String(own ?? '')
    const known = turns.get(id)
    if (known !== undefined && known !== segment) return true
    turns.set(id, segment)
    if ((node.refs ?? []).some((ref) => segments.has(ref) && segments.get(ref) !== segment)) return true
  }
  return false
}

/**
 * True if a call of an earlier turn has no result in this export, and a picture of the model follows it in its turn. The commit is then in
 * the midst of a step.
 * @param {string} text
 */
export function hasOpenStep(text) {
  const places = placesOf(JSON.parse(text))
  const answered = new Set(places.flatMap(({ node }) => (node.kind === 'result' ? [node.data_call_id] : [])))
  const open = new Set()
  for (const { node, segment, region } of places) {
    if (region !== '^seq') continue
    if (node.kind === 'call' && !answered.has(node.data_call_id)) open.add(segment)
    const isPicture = node.role === 'assistant' && node.kind === undefined && typeof node.content === 'object'
    if (isPicture && open.has(segment)) return true
  }
  return false
}
