// Is the selector oracle itself to be trusted? It is run on every golden row of the documents and on cases whose results
// were worked out by hand from the decisions, each with the decision it pins. No engine takes part.

import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  oracleCoordinate,
  OracleError,
  type OracleOptions,
  oracleSelect,
  type OracleTree,
  type OracleWorld,
} from './selector.js'
import { selectorArbitrary, worldArbitrary } from './selector-arbitrary.js'
import { fillFixture, type PrintedSnapshot } from './selector-fixture.js'
import { parseOracleSelector } from './selector-parse.js'

type Expectation = string[] | { error: string } | 'parses'
type GoldenRow = {
  section: string
  dialect: '1.0' | '0.1'
  fixture?: string
  selector: string
  expect: Expectation
  printed?: Expectation
  disputed?: string
}
type GoldenFile = { fixtures: Record<string, PrintedSnapshot>; rows: GoldenRow[] }

describe.each(['000', '001', '002'])('golden selectors of document %s', (document) => {
  const url = new URL(`../golden/selectors-${document}.json`, import.meta.url)
  const { fixtures, rows } = JSON.parse(readFileSync(url, 'utf8')) as GoldenFile

  it.each(rows)('$section: $selector', (row) => {
    if (row.expect === 'parses') {
      expect(() => parseOracleSelector(row.selector, row.dialect)).not.toThrow()
      return
    }
    const snapshot = fillFixture(row.fixture === undefined ? { root: {} } : fixtures[row.fixture]!)
    const world: OracleWorld = { dialect: row.dialect, snapshots: [snapshot], working: snapshot.tree }
    expect(answer(world, row.selector)).toEqual(row.expect)
  })

  it('gives a reason wherever it departs from what is printed', () => {
    const departures = rows.filter((row) => row.printed !== undefined)
    expect(departures.filter((row) => !/D\d/.test(row.disputed ?? ''))).toEqual([])
  })
})

function answer(world: OracleWorld, selector: string, options?: OracleOptions): string[] | { error: string } {
  try {
    return oracleSelect(world, selector, options)
  } catch (error) {
    if (error instanceof OracleError) return { error: error.code }
    throw error
  }
}

// One tree for most cases, in document order. d3 is g1 with a real core, d2 is g2 with a virtual core, d1 is g3 with a
// virtual core between two containers, d0 has a virtual core.
const SHARED: PrintedSnapshot = {
  spec_version: 'PACT/1.0.0',
  cycle: 4,
  root: {
    children: [
      {
        id: 'sys',
        nodeType: '^sys',
        cycle: 1,
        children: [
          { id: 's1', nodeType: 'block', key: 'policy', created_at_ns: 1, cycle: 1 },
          { id: 's2', nodeType: 'block', offset: 1, tags: ['safety'], cycle: 1 },
        ],
      },
      {
        id: 'seq',
        nodeType: '^seq',
        cycle: 1,
        children: [
          {
            id: 'g1',
            nodeType: 'seg',
            offset: 100,
            cycle: 1,
            children: [
              { id: 'p1', nodeType: 'block', offset: -1, cycle: 1, created_at_ns: 5 },
              { id: 'p2', nodeType: 'cb', offset: -1, cycle: 1, created_at_ns: 6, ttl: 1 },
              {
                id: 'c1',
                nodeType: 'cont',
                cycle: 1,
                children: [
                  {
                    id: 'u1',
                    nodeType: 'block',
                    role: 'user',
                    offset: 0,
                    cycle: 1,
                    data_n: 5,
                    data_s: '5',
                    data_b: true,
                  },
                  {
                    id: 'a1',
                    nodeType: 'block',
                    role: 'assistant',
                    offset: 1,
                    cycle: 1,
                    ttl: 2,
                    data_n: 30,
                    data_s: '30',
                  },
                ],
              },
              { id: 'q1', nodeType: 'block', offset: 1, key: 'note', tags: ['audit', 'z'], cycle: 1, created_at_ns: 7 },
              {
                id: 'box',
                nodeType: 'cont:Message',
                offset: 2,
                cycle: 2,
                children: [
                  { id: 'b1', nodeType: 'block', cycle: 2, data_list: ['x', 5] },
                  { id: 'b2', nodeType: 'block', cycle: 2, data_n: '9007199254740993' },
                ],
              },
            ],
          },
          {
            id: 'g2',
            nodeType: 'mt',
            offset: 200,
            cycle: 2,
            children: [
              { id: 'u2', nodeType: 'cb', role: 'user', cycle: 2 },
              { id: 'a2', nodeType: 'cb', role: 'assistant', cycle: 2, content: 'Hi there' },
              { id: 'q2', nodeType: 'block:summary', offset: 1, key: 'note', cycle: 3, created_at_ns: 9, kind: 'text' },
            ],
          },
          {
            id: 'g3',
            nodeType: 'turn',
            offset: 300,
            cycle: 3,
            children: [
              {
                id: 'm1',
                nodeType: 'cont',
                offset: -1,
                cycle: 3,
                children: [
                  {
                    id: 'x1',
                    nodeType: 'block',
                    cycle: 3,
                    content: { command: 'npm test', args: ['run 7', { n: 9 }] },
                    data_n: { x: null },
                    'data_n.x': 1,
                  },
                ],
              },
              { id: 'v1', nodeType: 'block', cycle: 3, tags: ['5'], content: [7, 'npm', { a: null }] },
              {
                id: 'm2',
                nodeType: 'group',
                offset: 1,
                cycle: 3,
                children: [{ id: 'x2', nodeType: 'idea', cycle: 3 }],
              },
            ],
          },
        ],
      },
      {
        id: 'ah',
        nodeType: '^ah',
        cycle: 1,
        children: [
          { id: 'h1', nodeType: 'block', offset: -1, ttl: 0 },
          { id: 'n1', nodeType: 'block', key: 'note', created_at_ns: 8 },
          { id: 't1', nodeType: 'block', offset: 1, type: 'note', cad: 1, ttl: 3, key: 'k:first' },
          { id: 't2', nodeType: 'block:log.entry', offset: 2, created_at_ns: 9007199254740993n as unknown as number },
        ],
      },
    ],
  },
}

const ALL = 'root sys s1 s2 seq g1 p1 p2 c1 u1 a1 q1 box b1 b2 g2 u2 a2 q2 g3 m1 x1 v1 m2 x2 ah h1 n1 t1 t2'.split(' ')

const shared = fillFixture(SHARED)

function worldOf(dialect: '1.0' | '0.1'): OracleWorld {
  return { dialect, snapshots: [shared], working: shared.tree }
}

/** [decision, dialect or 'both', selector, ids parted by spaces or an error code] */
type Case = readonly [decision: string, dialect: '1.0' | '0.1' | 'both', selector: string, result: string]

const CASES: readonly Case[] = [
  // Dialects
  ['D1', 'both', '.mt', 'g1 g2 g3'],
  ['D1', 'both', '.seg', 'g1 g2 g3'],
  ['D1', '0.1', 'd1 .cb', 'E_SELECTOR_INVALID'],
  ['D1', '0.1', '(d1, 0)', 'E_SELECTOR_INVALID'],
  ['D1', '0.1', '+audit', 'E_SELECTOR_INVALID'],
  ['D1', '0.1', '.cb ?? .mt', 'E_SELECTOR_INVALID'],
  ['D1', '0.1', ".cb{ role='user' } @limit=1", 'u1'],
  ['D2', '0.1', '#note', ''],
  ['D2', '0.1', '#q1', 'q1'],
  ['D2', '1.0', '#q1', ''],
  ['D2', '1.0', '{ id="q1" }', 'q1'],
  ['D2', '1.0', "[id='q1']", 'q1'],

  // Time
  ['D5', 'both', '@t-1 .seg', 'E_SNAPSHOT_NOT_FOUND'],
  ['D5', 'both', '@t+1 .seg', 'E_SNAPSHOT_NOT_FOUND'],
  ['D5', 'both', '@c99 .seg', 'E_SNAPSHOT_NOT_FOUND'],
  ['D5', 'both', '@c4 .seg', 'g1 g2 g3'],
  ['D5', 'both', '@working .seg', 'g1 g2 g3'],
  ['D7', 'both', '@t-* .seg', 'g1 g2 g3'],
  ['D7', 'both', '@t0..@t-1 .seg', 'RANGE'],
  ['D7', 'both', '@c3:9 .seg', 'RANGE'],
  ['D7', 'both', '@t-5..-1 .seg', 'RANGE'],
  ['D7', 'both', '@history .seg', 'RANGE'],
  ['D7', 'both', '@t0..@c1 .seg', 'E_SNAPSHOT_RANGE_KIND_MISMATCH'],
  ['D7', 'both', '@t0:@* .seg', 'E_SNAPSHOT_RANGE_WILDCARD'],
  ['D5', 'both', '@working..@t0 .seg', 'E_SELECTOR_INVALID'],
  ['D8', 'both', '.seg @*', 'g1 g2 g3'],
  ['D9', 'both', '.seg[age>1]', 'E_SELECTOR_INVALID'],
  ['D9', 'both', '@working .seg[age>1]', 'E_SELECTOR_INVALID'],
  ['D9', 'both', '@t0 .seg[age>1]', 'g1 g2'],
  ['D9', 'both', '@t0 .seg[born_turn=3]', 'g3'],
  ['D9', 'both', '@t0 *[depth=-1]', 'sys s1 s2'],
  ['D9', 'both', '@t0 *[depth=null]', 'root seq'],

  // Depth
  ['D10', 'both', '.seg:depth(1)', 'g3'],
  ['D10', 'both', '.seg:depth(1,3)', 'g1 g3'],
  ['D10', 'both', '.seg:depth(2..3)', 'g1 g2'],
  ['D10', 'both', '.seg:depth(2-3)', 'g1 g2'],
  ['D10', 'both', '*:depth(0)', ''],
  ['D10', 'both', '.seg:depth()', 'E_SELECTOR_INVALID'],
  ['D10', 'both', '.seg:depth(3-1)', 'E_DEPTH_INVALID'],
  ['D10', 'both', '.seg:depth(-2)', 'E_DEPTH_INVALID'],
  ['D10', '1.0', 'd3..d1 .block', 'E_DEPTH_INVALID'],
  ['D10', '1.0', 'd-2 .block', 'E_DEPTH_INVALID'],
  ['D10', '1.0', '(d-2, 0)', 'E_DEPTH_INVALID'],
  ['D10', '1.0', 'd1', 'g3'],
  ['D10', '1.0', '(d1)', 'g3'],
  ['D10', '1.0', 'd0', 'ah'],
  ['D10', '1.0', 'depth(0)', 'ah'],
  ['D10', '1.0', 'd-1 > .block', 's1 s2'],
  ['D10', 'both', '.sys > .block', 's1 s2'],
  ['D10', '1.0', 'd1..3', 'g1 g2 g3'],
  ['D11', '1.0', 'd1..d2 .seg', 'g2 g3'],
  ['D11', '1.0', 'd1 .block', 'x1 v1 x2'],
  ['D11', '1.0', 'd0 .block', 'h1 n1 t1 t2'],
  ['D11', '1.0', 'd-1..d0 *', 's1 s2 h1 n1 t1 t2'],
  ['D11', '1.0', 'd0 ^ah', ''],
  ['D11', '1.0', 'd1 > .cont', 'm1 m2'],
  ['D11', '1.0', 'd1 > .seg', ''],

  // The virtual core
  ['D12', 'both', '.seg:depth(2) .mc > .cb', 'u2 a2'],
  ['D12', 'both', '.seg:depth(2) > .cb', 'u2 a2 q2'],
  ['D12', 'both', '.seg:depth(2) > .mc', ''],
  ['D12', 'both', '.seg:depth(2) > .mc[offset=0] > *', 'u2 a2'],
  ['D12', 'both', '.seg:depth(2) > .mc:core > *', 'u2 a2'],
  ['D12', 'both', '.seg:depth(2) > .mc[cycle=null] > *', 'u2 a2'],
  ['D12', 'both', '.seg:depth(2) > .mc[cycle] > *', ''],
  ['D12', 'both', '.seg:depth(1) > .cont:nth(2) > *', 'v1'],
  ['D12', 'both', '.seg:depth(1) > .cont:nth(3) > *', 'x2'],
  ['D12', 'both', '.seg:depth(1) > .cont:first > *', 'x1'],
  ['D12', 'both', '^ah .cont .block', 'n1'],
  ['D12', 'both', '.seg:depth(2) *[offset=0] > *', ''],
  ['D12', '1.0', ".seg:depth(2) > [nodeType='cont'] > *", 'u2 a2'],
  ['D12', '0.1', ".mt:depth(2) > [nodeType='mc'] > *", ''],
  ['D12', 'both', '^ah :core .cont > *', ''],
  ['D12', '1.0', '(d2, 0)', 'u2 a2'],
  ['D12', '1.0', '(d2, 0, 0)', ''],

  // Zones
  ['D13', 'both', '^ah :pre .cb', 'h1'],
  ['D13', 'both', '^seq :post .block', 'q1 b1 b2 q2 x2'],
  ['D13', 'both', '^seq :post > .block', 'q1 q2'],
  ['D13', 'both', '.block:post', 's2 a1 q1 q2 t1 t2'],
  ['D13', 'both', '^seq :post', 'q1 box q2 m2'],
  ['D13', 'both', '^seq :post:last', 'box q2 m2'],
  ['D13', 'both', ':pre', 'p1 p2 m1 h1'],
  ['D13', 'both', ':pre[ttl<=1]', 'p2 h1'],
  ['D13', 'both', '.cont :core', 'u2 a2 v1 n1'],
  ['D13', 'both', '.cont[cycle] :core', ''],
  ['D13', 'both', '^sys > :core', 's1'],
  ['D13', '1.0', 'd3 :core .block', 'u1 a1'],

  // Types
  ['D14', 'both', '.cont', 'c1 box m1 m2'],
  ['D14', 'both', '.block[ttl=null]:depth(1)', ''],
  ['D14', '0.1', '.block:summary', 'q2'],
  ['D14', '0.1', '.cb:summary', ''],
  ['D14', '1.0', '.cb:summary', 'q2'],
  ['D14', '1.0', '.summary', 'q2'],
  ['D14', '1.0', '.anything:Message', 'box'],
  ['D14', '1.0', '.note', 't1'],
  ['D14', '1.0', '.log.entry', 't2'],
  ['D14', '1.0', '.entry', 't2'],
  ['D14', '1.0', '.log.note', ''],
  ['D14', '1.0', "[nodeType='block:summary']", 'q2'],
  ['D14', '1.0', "[nodeType='cb:summary']", ''],
  ['D14', '1.0', "[nodeType='mt']", 'g1 g2 g3'],
  ['D14', '0.1', "[nodeType='mt']", 'g2'],
  ['D14', '1.0', '.block:text', ''],
  ['D14', 'both', '.group', 'm2'],
  ['D14', 'both', '*', ALL.join(' ')],

  // Pseudo or type
  ['D15', '1.0', "#'k:first'", 't1'],
  ['D15', '1.0', '#k:first', ''],
  ['D15', 'both', '.block:first-draft', ''],
  ['D15', 'both', '.block:depth', ''],
  ['D15', 'both', '.block:nth', ''],
  ['D15', 'both', '.block:first:draft', 'E_SELECTOR_INVALID'],
  ['D15', '0.1', '#007', ''],

  // Positions
  ['D16', 'both', '.block:first', 's1 p1 u1 b1 u2 x1 v1 x2 h1'],
  ['D16', 'both', '.block:post:first', 's2 a1 q1 q2 t1'],
  ['D16', 'both', '.block:first:post', ''],
  ['D16', 'both', '.block[offset>0]:first', 's2 a1 q1 q2 t1'],
  ['D16', 'both', '.seg > .block:nth(2)', 'p2 a2'],
  ['D16', 'both', '.seg:last > .cont:last', 'm2'],
  ['D16', 'both', '^root > *:nth(3)', 'ah'],
  ['D16', 'both', '.block:nth(0)', 'E_SELECTOR_INVALID'],
  ['D16', 'both', '.block:nth()', 'E_SELECTOR_INVALID'],
  ['D16', 'both', '.block:bogus(1)', 'E_SELECTOR_INVALID'],

  // Coordinates
  ['D17', '1.0', '(d3, -1)', 'p1 p2'],
  ['D17', '1.0', '(d3, -1):nth(2)', 'p2'],
  ['D17', '1.0', '(d3, 2, 0)', 'b1 b2'],
  ['D17', '1.0', '((d2, 0), (d3, 0, 1))', 'u2 a2 a1'],
  ['D17', '1.0', '(d3, 0) .block', 'u1 a1'],
  ['D17', '1.0', '(d1, end)', 'E_SELECTOR_INVALID'],
  ['D17', '1.0', '(d1, 0, )', 'E_SELECTOR_INVALID'],

  // Legacy
  ['D18', '1.0', '(d1, cont[offset=0])', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', 'seg .block', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', 'c@2', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', '.seg *@+', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', '*:block', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', 'within(.seg) .block', 'E_SELECTOR_LEGACY'],
  ['D18', '1.0', '?? { tag="audit" }', 'E_SELECTOR_LEGACY'],

  // Positions of older drafts
  ['D44', '1.0', '(d1, .block)', 'E_SELECTOR_LEGACY'],
  ['D44', '1.0', '(d1, *)', 'E_SELECTOR_LEGACY'],
  ['D44', '1.0', '(d1..d2, #note)', 'E_SELECTOR_LEGACY'],
  ['D44', '1.0', '( depth(1), .block ) +audit', 'E_SELECTOR_LEGACY'],
  ['D44', '1.0', '(d1, (d2, 0), .block)', 'E_SELECTOR_LEGACY'],
  ['D44', '1.0', '(d1), .seg:first', 'g3 g1'],
  ['D44', '1.0', '((d1), .seg:first)', 'g3 g1'],
  ['D44', '1.0', '(.seg:first, d1)', 'g1 g3'],
  ['D44', '1.0', '(d1, d3)', 'g3 g1'],
  ['D44', '1.0', '(d1, (d2, 0), depth(0))', 'g3 u2 a2 ah'],
  ['D44', '1.0', '(d1 .cont, .seg)', 'm1 m2 g1 g2 g3'],

  // Order
  ['D20', '0.1', '.seg, ^sys', 'sys g1 g2 g3'],
  ['D20', '1.0', '.seg, ^sys, .seg:first', 'g1 g2 g3 sys'],
  ['D20', '1.0', '#note', 'q1 q2 n1'],
  ['D20', '1.0', '.block { key="note" }', 'q1 q2 n1'],
  ['D20', '1.0', '#note @order=turn:desc', 'n1 q2 q1'],
  ['D20', '1.0', '#note .block, .seg[offset=200]', 'g2'],
  ['D20', '1.0', "{ key in ['note'] }", 'q1 q2 n1'],

  // Values
  ['D21', 'both', '*[offset>150]', 'g2 g3'],
  ['D21', 'both', "*[offset>'150']", 'g2 g3'],
  ['D21', 'both', ".seg[offset='abc']", ''],
  ['D21', 'both', ".seg[offset!='abc']", 'g1 g2 g3'],
  ['D21', 'both', '*[ttl=null][key]', 's1 q1 q2 n1'],
  ['D21', 'both', '.seg[ttl!=5]', 'g1 g2 g3'],
  ['D21', 'both', '.seg[ttl<5]', ''],
  ['D21', 'both', '*[created_at_ns=9007199254740993]', 't2'],
  ['D21', 'both', '*[created_at_ns=9007199254740992]', ''],
  ['D21', 'both', '*[created_at_ns>9007199254740992]', 't2'],
  ['D21', 'both', '*[data_n=5]', 'u1'],
  ['D21', 'both', "*[data_n='5']", ''],
  ['D21', 'both', "*[data_s='5']", 'u1'],
  ['D21', 'both', '*[data_s=5]', ''],
  ['D21', 'both', '*[data_s<10]', 'u1'],
  ['D21', 'both', "*[data_s>'4']", 'u1 a1'],
  ['D21', 'both', '*[data_n>9007199254740992]', 'b2'],
  ['D21', 'both', '*[data_b=true]', 'u1'],
  ['D21', 'both', "*[data_b='true']", 'u1'],
  ['D21', 'both', "*[data_b>'t']", 'u1'],
  ['D21', 'both', "*[content~'there']", 'a2'],
  ['D21', 'both', "*[data_list~'x']", 'b1'],
  ['D21', 'both', '*[data_list~5]', 'b1'],
  ['D21', 'both', "*[data_list~'5']", ''],
  ['D21', 'both', '*[offset~2]', ''],
  ['D21', 'both', "*[tag='audit']", 'q1'],
  ['D21', 'both', "*[tags~'aud']", ''],
  ['D21', 'both', '*[tag]', 's2 q1 v1'],
  ['D21', 'both', "*[role in ['user', 'tool']]", 'u1 u2'],
  ['D21', 'both', "*[role=['user', 'assistant']]:last", 'a1 a2'],
  ['D21', 'both', "^seq > *[offset!=[100, '200']]", 'g3'],
  ['D21', 'both', "*[role>'b']", 'u1 u2'],
  ['D21', 'both', '*[role>null]', ''],
  ['D21', 'both', ".seg[id>='g2']", 'g2 g3'],

  // Tags are texts, and content is searched inside
  ['D21', 'both', '*[tag=5]', 'v1'],
  ['D21', 'both', "*[tag='5']", 'v1'],
  ['D21', 'both', '*[tag in [5, 6]]', 'v1'],
  ['D21', 'both', '*[tag=6]', ''],
  ['D53', 'both', "*[content~'npm']", 'x1 v1'],
  ['D53', 'both', "*[content~'run']", 'x1'],
  ['D53', 'both', "*[content~'command']", ''],
  ['D53', 'both', '*[content~7]', 'x1 v1'],
  ['D53', 'both', "*[data_list~'5']", ''],
  ['D53', '1.0', "*[content.command~'npm']", 'x1'],
  ['D53', '1.0', "*[content.args.0='run 7']", 'x1'],
  ['D53', '1.0', '*[content.args.1.n>8]', 'x1'],
  ['D53', '1.0', "*[content.1='npm']", 'v1'],
  ['D53', '1.0', '*[content.constructor]', ''],
  ['D53', '1.0', '*[content.length]', ''],
  ['D53', '1.0', '*[content.args.length]', ''],
  ['D53', '1.0', '*[data_n.x]', 'x1'],
  ['D53', '1.0', '.seg[content.command=null]', 'g1 g2 g3'],
  ['D53', '0.1', '*[content.command]', 'E_SELECTOR_INVALID'],

  // Filters
  ['D22', '1.0', ".seg [role='user']", ''],
  ['D22', '0.1', ".seg [role='user']", 'u1 u2'],
  ['D22', '1.0', '+audit', 'q1'],
  ['D22', '1.0', '.seg > .block +z +audit', 'q1'],
  ['D22', '1.0', '{ cycle=3 } .block', 'x1 v1 x2'],
  ['D22', '1.0', '.seg { cycle=3 } > .cont', 'm1 m2'],
  ['D22', '1.0', '.sys > .block, .seg { cycle=3 }', 's1 s2 g3'],
  ['D22', '1.0', '( .sys > .block, .seg ) { offset=0 }', 's1'],
  ['D22', '1.0', '.block @limit=2 [ ttl<=1 ]', 'p2 h1'],
  ['D22', '1.0', ".block(role='user' cycle=2)", 'u2'],
  ['D22', '1.0', ".block(role='user',cycle=2)", 'u2'],
  ['D22', '1.0', '.block()', 'E_SELECTOR_INVALID'],
  ['D22', 'both', '.block[ephemeral]', 'p2 h1'],
  ['D22', 'both', '*[sticky]', 't1'],
  ['D22', 'both', '.block[]', 'E_SELECTOR_INVALID'],

  // Controls
  ['D23', '1.0', '^seq, ^sys @order=pre', 'sys seq'],
  ['D23', 'both', '^sys, ^sys * @order=post', 's1 s2 sys'],
  ['D23', 'both', '.seg:depth(1), .seg:depth(1) * @order=bfs', 'g3 m1 v1 m2 x1 x2'],
  ['D23', 'both', '*[cycle=3] @order=path', 'g3 m1 x1 v1 m2 x2 q2'],
  ['D23', 'both', '.seg, ^ah @order=turn:asc', 'g1 ah g2 g3'],
  ['D23', 'both', '.seg, ^ah @order=turn:desc', 'g3 g2 g1 ah'],
  ['D23', 'both', '.seg @skip=1 @limit=1', 'g2'],
  ['D23', 'both', '.seg @limit=2 @skip=1', 'g2 g3'],
  ['D23', 'both', '.seg @first', 'g1'],
  ['D23', 'both', '.seg @unique @vendor=x', 'g1 g2 g3'],
  ['D23', 'both', '.seg @mode=latest', 'E_SELECTOR_INVALID'],
  ['D23', 'both', '.seg @order=sideways', 'E_SELECTOR_INVALID'],
  ['D23', 'both', '.seg?', 'E_SELECTOR_INVALID'],
  ['D23', '1.0', '#missing ?? .seg', 'g1 g2 g3'],
  ['D23', '1.0', '#missing, ^sys ?? .seg', 'sys'],
  ['D23', '1.0', '.seg:depth(2) > .cont ?? .sys', 'sys'],

  // Malformed
  ['04 §7', 'both', '', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '@t0', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '.seg >', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '> .seg', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '.seg,', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', "[role='user", 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '^nowhere', 'E_SELECTOR_INVALID'],
  ['04 §7', 'both', '.seg } .block', 'E_SELECTOR_INVALID'],
]

describe('cases worked out by hand', () => {
  const rows = CASES.flatMap(([decision, dialect, selector, result]) =>
    (dialect === 'both' ? (['1.0', '0.1'] as const) : [dialect]).map((one) => ({
      decision,
      dialect: one,
      selector,
      result,
    })),
  )

  it.each(rows)('$decision, $dialect: $selector', ({ dialect, selector, result }) => {
    const expected = /^[A-Z_]{3,}$/.test(result) ? { error: result } : result.split(' ').filter((id) => id !== '')
    expect(answer(worldOf(dialect), selector)).toEqual(expected)
  })

  it('lists the shared tree in document order (D20)', () => {
    expect(oracleSelect(worldOf('1.0'), '*')).toEqual(ALL)
  })

  it('counts windows of options after those of controls (D23)', () => {
    expect(oracleSelect(worldOf('1.0'), '.block @skip=1 @limit=4', { skip: 1, limit: 2 })).toEqual(['p1', 'p2'])
  })
})

describe('several snapshots', () => {
  const block = (id: string, more: object = {}): Record<string, unknown> => ({ id, nodeType: 'block', ...more })
  const snapshot = (cycle: number, blocks: Record<string, unknown>[]): { cycle: number; tree: OracleTree } =>
    fillFixture({ cycle, root: { children: [{ id: 'ah', nodeType: '^ah', cycle: 1, children: blocks }] } })
  const world = (dialect: '1.0' | '0.1'): OracleWorld => ({
    dialect,
    snapshots: [
      snapshot(2, [block('a', { cycle: 2 })]),
      snapshot(5, [block('b', { cycle: 5 }), block('a', { cycle: 2 })]),
    ],
    working: snapshot(6, [block('w'), block('b', { cycle: 5 })]).tree,
  })

  it.each([
    ['D5', '1.0', '.block', 'w b'],
    ['D5', '0.1', '.block', 'b a'],
    ['D5', '1.0', '@t-1 .block', 'a'],
    ['D5', '1.0', '@c2 .block', 'a'],
    ['D5', '1.0', '@c3 .block', 'E_SNAPSHOT_NOT_FOUND'],
    ['D7', '1.0', '@t-* .block', 'a'],
    ['D8', '1.0', '@* .block', 'b a'],
    ['D8', '1.0', '@* .block @skip=1', 'a'],
    ['D9', '1.0', '@* .block[age=0]', 'b a'],
    ['D9', '1.0', '@t0 .block[age=3]', 'a'],
    ['D7', '1.0', '@c1..@c3 .block', 'a'],
    ['D7', '1.0', '@t-1..@t0 .block', 'b a'],
    ['D7', '1.0', '@t-9..@t-1 .block', 'a'],
    ['D7', '1.0', '@t-9..@t-5 .block', 'E_SNAPSHOT_NOT_FOUND'],
  ] as const)('%s, %s: %s', (_decision, dialect, selector, result) => {
    const expected = result.startsWith('E_') ? { error: result } : result.split(' ')
    expect(answer(world(dialect), selector, { flat: true })).toEqual(expected)
  })

  it.each([
    ['D45', '@* .block @order=turn:asc', 'a b'],
    ['D45', '@* .block @order=turn:asc @first', 'a'],
    ['D45', '@* .block @order=pre', 'b a'],
    ['D45', '@t-1..@t0 .block @order=turn:desc @mode=union', 'b a'],
    ['D45', "@* [id='a'] ?? .block", 'a'],
    ['D45', '@* .block[born_turn=9] ?? .block[born_turn=2]', 'a'],
    ['D45', '@* .block[age=3] ?? .block', 'a'],
    ['D45', '@* (.block[age=3] ?? .block)', 'a'],
    ['D45', '@* #k', 'c d e'],
    ['D45', '@* #k @order=turn:desc', 'e c d'],
    ['D45', '@* #k @order=path', 'c e d'],
    ['D20', '@t0 #k', 'd c'],
  ] as const)('%s: %s', (_decision, selector, result) => {
    const at = (cycle: number, blocks: Record<string, unknown>[]): { cycle: number; tree: OracleTree } =>
      snapshot(cycle, blocks)
    const keyed: OracleWorld = {
      dialect: '1.0',
      snapshots: [
        at(1, [block('e', { key: 'k', cycle: 9, offset: 1 })]),
        at(2, [
          block('d', { key: 'k', cycle: 1, created_at_ns: 9, offset: 2 }),
          block('c', { key: 'k', cycle: 1, created_at_ns: 1, offset: 1 }),
        ]),
      ],
      working: at(3, []).tree,
    }
    expect(answer(selector.includes('#k') ? keyed : world('1.0'), selector, { flat: true })).toEqual(result.split(' '))
  })

  it('has nothing before the first commit (D5, D8)', () => {
    const empty: OracleWorld = { ...world('0.1'), snapshots: [] }
    expect(answer(empty, '.block')).toEqual({ error: 'E_SNAPSHOT_NOT_FOUND' })
    expect(answer(empty, '@t-* .block')).toEqual({ error: 'E_SNAPSHOT_NOT_FOUND' })
    expect(answer(empty, '@* .block')).toEqual([])
    expect(answer(empty, '.block', { dialect: '1.0' })).toEqual(['w', 'b'])
  })
})

describe('same-key order', () => {
  it('is depth descending, without depth last, newest first, then id by code point (D20, 001 §3.5.2)', () => {
    const keyed = (id: string, more: object = {}): Record<string, unknown> => ({
      id,
      nodeType: 'block',
      key: 'k',
      ...more,
    })
    const { tree, cycle } = fillFixture({
      spec_version: 'PACT/1.0.0',
      root: {
        key: 'k',
        children: [
          { id: 'sys', nodeType: '^sys', children: [keyed('s')] },
          {
            id: 'seq',
            nodeType: '^seq',
            children: [
              { id: 'g1', nodeType: 'seg', offset: 1, children: [keyed('old')] },
              { id: 'g2', nodeType: 'seg', offset: 2, children: [keyed('new')] },
            ],
          },
          {
            id: 'ah',
            nodeType: '^ah',
            children: [
              keyed('\u{10000}', { created_at_ns: 1, creation_index: 0 }),
              keyed('\uffff', { created_at_ns: 1, creation_index: 0 }),
              keyed('i', { created_at_ns: 1, creation_index: 1 }),
              keyed('n', { created_at_ns: 2, creation_index: 0 }),
            ],
          },
        ],
      },
    })
    const world: OracleWorld = { dialect: '1.0', snapshots: [{ cycle, tree }], working: tree }
    const expected = ['old', 'new', 'n', 'i', '\uffff', '\u{10000}', 's', 'root']
    expect(oracleSelect(world, '#k')).toEqual(expected)
    expect(oracleSelect(world, '* { key="k" }')).toEqual(expected)
    expect(oracleSelect(world, '(#k)')).toEqual(expected)
    expect(oracleSelect(world, '#k @order=pre')).toEqual(oracleSelect(world, '[key][key~k]'))
    expect(oracleSelect(world, '#k:first')).toEqual(['old', 'new', '\uffff', 's', 'root'])
  })
})

describe('coordinates (D17)', () => {
  it.each([
    ['sys', '(d-1)'],
    ['ah', '(d0)'],
    ['g3', '(d1)'],
    ['u1', '(d3, 0, 0)'],
    ['a1', '(d3, 0, 1)'],
    ['p1', '(d3, -1):nth(1)'],
    ['p2', '(d3, -1):nth(2)'],
    ['a2', '(d2, 0):nth(2)'],
    ['v1', '(d1, 0)'],
    ['b2', '(d3, 2, 0):nth(2)'],
    ['root', '{ id="root" }'],
    ['seq', '{ id="seq" }'],
  ])('%s stands at %s', (id, coordinate) => {
    expect(oracleCoordinate(shared.tree, id)).toBe(coordinate)
  })

  it('falls back to the id where parents share offsets, with quotes escaped', () => {
    const twin = (id: string): object => ({
      id,
      nodeType: 'cont',
      offset: 1,
      children: [{ id: `${id}"\\`, nodeType: 'block' }],
    })
    const { tree } = fillFixture({
      root: { children: [{ id: 'ah', nodeType: '^ah', children: [twin('a'), twin('b')] }] },
    })
    expect(oracleCoordinate(tree, 'a')).toBe('(d0, 1):nth(1)')
    expect(oracleCoordinate(tree, 'a"\\')).toBe('{ id="a\\"\\\\" }')
  })

  it('selects exactly the node, in every generated tree', () => {
    fc.assert(
      fc.property(worldArbitrary, (world) => {
        const here: OracleWorld = { ...world, dialect: '1.0' }
        for (const id of oracleSelect(here, '*')) {
          expect(oracleSelect(here, oracleCoordinate(here.working, id))).toEqual([id])
        }
      }),
      { numRuns: 60, seed: 3 },
    )
  })
})

describe('the generator', () => {
  const sample = (dialect: '1.0' | '0.1', errors: boolean, runs: number): [OracleWorld, string[]][] =>
    fc.sample(
      worldArbitrary.chain((world) =>
        fc.tuple(
          fc.constant(world),
          fc.array(selectorArbitrary(world, dialect, { errors }), { minLength: 10, maxLength: 10 }),
        ),
      ),
      { numRuns: runs, seed: 17 },
    )

  it.each(['1.0', '0.1'] as const)('makes %s selectors of which at least a third match something', (dialect) => {
    const results = sample(dialect, true, 200).flatMap(([world, selectors]) =>
      selectors.map((selector) => answer(world, selector, { dialect })),
    )
    const matching = results.filter((result) => Array.isArray(result) && result.length > 0).length
    console.log(`${dialect}: ${matching} of ${results.length} generated selectors match something`)
    expect(matching / results.length).toBeGreaterThan(1 / 3)
  })

  it.each(['1.0', '0.1'] as const)('makes only valid %s selectors unless errors are asked for', (dialect) => {
    for (const [world, selectors] of sample(dialect, false, 100)) {
      for (const selector of selectors) {
        const result = answer(world, selector, { dialect })
        expect(Array.isArray(result) || result.error === 'E_SNAPSHOT_NOT_FOUND', selector).toBe(true)
      }
    }
  })
})
