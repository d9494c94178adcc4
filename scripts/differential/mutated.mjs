// Exports with something wrong or odd in them, as files from elsewhere may have.

import { Random } from './random.mjs'

/** An export with something wrong or odd in it. */
export function mutated(seed, source, changes) {
  const r = new Random(seed)
  const value = JSON.parse(source)
  const nodes = []
  const visit = (node) => {
    nodes.push(node)
    for (const child of node.children ?? []) visit(child)
  }
  visit(value.root)
  for (let times = r.between(1, 2); times > 0; times--) {
    const node = r.pick(nodes)
    r.pick([
      () => nodes.forEach((each) => !each.nodeType.startsWith('^') && r.chance(40) && (each.key = 'note')),
      () =>
        nodes.forEach(
          (each) => r.chance(40) && !changes.has('imported-tag') && (each.tag = r.pick(['t', ['rag', 5], null])),
        ),
      () => delete node[r.pick(Object.keys(node))],
      () => (node[r.pick(Object.keys(node))] = r.pick([null, 1, -1, 'x', [], {}, true])),
      () => (node.id = r.pick(nodes).id),
      () => node.children?.push(r.pick(nodes)),
      () => node.children?.pop(),
      () => node.children?.reverse(),
      () => (node.offset = r.pick([0, 1, -1, 0.5, 1e9])),
      () => (node.ttl = r.pick([0, 1, 2, null])),
      () => (node.cycle = r.pick([0, 1, 99])),
      () => (node.nodeType = r.pick(['block', 'cont', 'seg', '^ah', 'cb', 'odd'])),
      () => (node.refs = [r.pick(nodes).id, 'gone']),
      () => (node.cad = 1),
      () =>
        (value.schedules = r.pick([
          undefined,
          [],
          [{}],
          [{ key: 'a', cad: 1, first_cycle: 1, zone: 'post', node: { nodeType: 'block', content: 'x' } }],
        ])),
      () => (value.spec_version = r.pick(['PACT/0.1.0', 'PACT/1.0.0', 'PACT/9', undefined])),
      () => (value.cycle = r.pick([0, 1, 7, -1, '1'])),
    ])()
  }
  let made = ''
  try {
    made = JSON.stringify(value)
  } catch {
    return '{'
  }
  if (r.chance(5)) return made.slice(0, r.below(made.length))
  return r.chance(10) ? made.replace(/"offset":(\d+)/, '"offset":$1.0') : made
}
