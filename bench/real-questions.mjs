// The questions to the history of real turns: in our words, in CSS, and as the loop that one would write by hand. Cold
// questions take a number, and every number is another meaning: a value, tag, key or word that was never asked for. Known
// questions are asked again after each commit. `pick` is what CSS has no words for, done on its list.

import { valueOf } from './real-turns.mjs'

const topic = (n) => valueOf('topic', n)
const tag = (n) => valueOf('tag', n)
const file = (n) => valueOf('file', n)
const query = (n) => valueOf('query', n)
const idsOf = (nodes) => nodes.map((node) => node.id)

/** The first five with the newest turn first and each turn in its order, as `@order=turn:desc` has them. */
function newestFive(nodes) {
  const turns = new Map()
  for (const node of nodes) {
    const turn = turns.get(node.turn)
    if (turn) turn.push(node)
    else turns.set(node.turn, [node])
  }
  return [...turns.values()].reverse().flat().slice(0, 5)
}

/** A row asks for no more values than this. */
export const STRIDE = 700

/**
 * `from` is the number a row starts with, so that rows over one vocabulary do not meet; `isCounted` names the
 * five questions that have a goal; `words` are the rare words of the recordings.
 */
export function coldQuestions(words) {
  const word = (n) => words[n % words.length]
  return [
    {
      name: 'attribute',
      from: 0,
      isCounted: true,
      ours: (n) => (n % 2 ? `@t0 [data_topic='${topic(n)}']` : `@t0 [data_topic~'${topic(n)}']`),
      css: (n) => (n % 2 ? `[data_topic='${topic(n)}']` : `[data_topic*='${topic(n)}']`),
      loop(all, n) {
        const value = topic(n)
        const found = []
        for (const node of all) if (node.data_topic === value) found.push(node.id)
        return found
      },
    },
    {
      name: 'type + attribute',
      from: STRIDE,
      isCounted: true,
      ours: (n) => (n % 2 ? `@t0 .block[data_topic='${topic(n)}']` : `@t0 .block[data_topic~'${topic(n)}']`),
      css: (n) => (n % 2 ? `block[data_topic='${topic(n)}']` : `block[data_topic*='${topic(n)}']`),
      loop(all, n) {
        const value = topic(n)
        const found = []
        for (const node of all) if (node.cls === 'block' && node.data_topic === value) found.push(node.id)
        return found
      },
    },
    {
      name: 'type + attribute, most match',
      from: 2 * STRIDE,
      ours: (n) => `@t0 .block[data_topic!='${topic(n)}']`,
      css: (n) => `block[data_topic!='${topic(n)}']`,
      loop(all, n) {
        const value = topic(n)
        const found = []
        for (const node of all) if (node.cls === 'block' && node.data_topic !== value) found.push(node.id)
        return found
      },
    },
    {
      name: 'chain, a test in the middle',
      from: 0,
      isCounted: true,
      ours: (n) =>
        n % 2
          ? `@t0 ^seq .seg > .cont[data_query='${query(n)}'] > .block`
          : `@t0 ^seq .cont[data_query='${query(n)}'] .block`,
      css: (n) =>
        n % 2 ? `seq seg > cont[data_query='${query(n)}'] > block` : `seq cont[data_query='${query(n)}'] block`,
      loop(all, n) {
        const value = query(n)
        const found = []
        for (const node of all) if (node.cls === 'block' && node.parent.data_query === value) found.push(node.id)
        return found
      },
    },
    {
      name: 'chain, a test on the turn',
      from: 0,
      ours: (n) => `@t0 ^seq .seg[cycle=${n + 1}] .block[role='assistant']`,
      css: (n) => `seq seg[turn='${n + 1}'] block[role='assistant']`,
      loop(all, n) {
        const turn = String(n + 1)
        const found = []
        for (const node of all) {
          if (node.turn === turn && node.cls === 'block' && node.role === 'assistant') found.push(node.id)
        }
        return found
      },
    },
    {
      name: 'tag',
      from: 300,
      isCounted: true,
      ours: (n) => (n % 2 ? `@t0 +${tag(n)}` : `@t0 .block+${tag(n)}`),
      css: (n) => (n % 2 ? `[tags~='${tag(n)}']` : `block[tags~='${tag(n)}']`),
      loop(all, n) {
        const value = tag(n)
        const found = []
        for (const node of all) if (node.tagList.includes(value)) found.push(node.id)
        return found
      },
    },
    {
      name: 'key',
      from: 0,
      ours: (n) => `@t0 #${file(n)}`,
      css: (n) => `[key='${file(n)}']`,
      loop(all, n) {
        const value = file(n)
        const found = []
        for (const node of all) if (node.key === value) found.push(node.id)
        return found
      },
    },
    {
      name: 'content word',
      from: 0,
      isCounted: true,
      ours: (n) => (n % 2 ? `@t0 [content~'${word(n)}']` : `@t0 .block[content~'${word(n)}']`),
      css: (n) => (n % 2 ? `[content*='${word(n)}']` : `block[content*='${word(n)}']`),
      loop(all, n) {
        const value = word(n)
        const found = []
        for (const node of all) if (node.content !== undefined && node.content.includes(value)) found.push(node.id)
        return found
      },
    },
    {
      name: 'last turn',
      from: 3 * STRIDE,
      ours: (n) => `@t0 d1 .block[data_topic!='${topic(n)}']`,
      css: (n) => `seq > seg:last-child block[data_topic!='${topic(n)}']`,
      loop(all, n) {
        const value = topic(n)
        const { turn } = all.at(-1)
        const found = []
        for (const node of all) {
          if (node.turn === turn && node.cls === 'block' && node.data_topic !== value) found.push(node.id)
        }
        return found
      },
    },
    {
      name: 'no match',
      from: 0,
      ours: (n) => (n % 2 ? `@t0 .type${n}` : `@t0 [role='role${n}']`),
      css: (n) => (n % 2 ? `type${n}` : `[role='role${n}']`),
      loop(all, n) {
        const value = `role${n}`
        const found = []
        for (const node of all) if (node.role === value) found.push(node.id)
        return found
      },
    },
    {
      name: 'count, most match',
      from: 4 * STRIDE,
      counts: true,
      ours: (n) => `@t0 .block[data_topic!='${topic(n)}']`,
      css: (n) => `block[data_topic!='${topic(n)}']`,
      loop(all, n) {
        const value = topic(n)
        let found = 0
        for (const node of all) if (node.cls === 'block' && node.data_topic !== value) found++
        return found
      },
    },
    {
      name: 'union',
      from: 5 * STRIDE,
      ours: (n) => `@t0 [data_topic='${topic(n)}'], .block+${tag(n)}`,
      css: (n) => `[data_topic='${topic(n)}'], block[tags~='${tag(n)}']`,
      loop(all, n) {
        const value = topic(n)
        const wanted = tag(n)
        const found = []
        for (const node of all) if (node.data_topic === value || node.tagList.includes(wanted)) found.push(node.id)
        return found
      },
    },
    {
      name: '@order … @limit',
      from: 6 * STRIDE,
      ours: (n) => `@t0 .block[data_topic!='${topic(n)}'] @order=turn:desc @limit=5`,
      css: (n) => `block[data_topic!='${topic(n)}']`,
      pick: newestFive,
      loop(all, n) {
        const value = topic(n)
        const found = []
        for (const node of all) if (node.cls === 'block' && node.data_topic !== value) found.push(node)
        return idsOf(newestFive(found))
      },
    },
    {
      name: 'newest of a key',
      from: 800,
      ours: (n) => `@t0 #${file(n)} @order=turn:desc @first`,
      css: (n) => `[key='${file(n)}']`,
      pick: (nodes) => nodes.slice(-1),
      loop(all, n) {
        const value = file(n)
        let last
        for (const node of all) if (node.key === value) last = node
        return last === undefined ? [] : [last.id]
      },
    },
  ]
}

/** `plain` is the code of someone who knows where to look, where there is such code; `whole` also shows the whole turn. */
export const KNOWN_QUESTIONS = [
  {
    name: 'attribute',
    whole: true,
    ours: () => "@t0 [role='assistant']",
    css: () => "[role='assistant']",
    loop(all) {
      const found = []
      for (const node of all) if (node.role === 'assistant') found.push(node.id)
      return found
    },
  },
  {
    name: 'type + attribute',
    ours: () => "@t0 .block[role='user']",
    css: () => "block[role='user']",
    loop(all) {
      const found = []
      for (const node of all) if (node.cls === 'block' && node.role === 'user') found.push(node.id)
      return found
    },
  },
  {
    name: 'chain, a test in the middle',
    ours: () => "@t0 ^seq .seg > .cont[data_source='web'] > .block",
    css: () => "seq seg > cont[data_source='web'] > block",
    loop(all) {
      const found = []
      for (const node of all) if (node.cls === 'block' && node.parent.data_source === 'web') found.push(node.id)
      return found
    },
  },
  {
    name: 'tag',
    ours: () => '@t0 +rag',
    css: () => "[tags~='rag']",
    loop(all) {
      const found = []
      for (const node of all) if (node.tagList.includes('rag')) found.push(node.id)
      return found
    },
  },
  {
    name: 'key',
    ours: () => '@t0 #plan',
    css: () => "[key='plan']",
    loop: loopPlan,
  },
  {
    name: 'content word',
    ours: () => "@t0 [content~'error']",
    css: () => "[content*='error']",
    loop(all) {
      const found = []
      for (const node of all) if (node.content !== undefined && node.content.includes('error')) found.push(node.id)
      return found
    },
  },
  {
    name: 'last turn',
    whole: true,
    ours: () => '@t0 d1 .block',
    css: () => 'seq > seg:last-child block',
    plainName: 'a loop over the last turn',
    plain(all) {
      const { turn } = all.at(-1)
      const found = []
      for (let i = all.length - 1; i >= 0 && all[i].turn === turn; i--)
        if (all[i].cls === 'block') found.push(all[i].id)
      return found.reverse()
    },
  },
  {
    name: 'no match',
    ours: () => '@t0 .nothing',
    css: () => 'nothing',
    loop(all) {
      const found = []
      for (const node of all) if (node.nodeType === 'nothing') found.push(node.id)
      return found
    },
  },
  {
    name: 'count',
    counts: true,
    ours: () => "@t0 .block[role='assistant']",
    css: () => "block[role='assistant']",
    loop(all) {
      let found = 0
      for (const node of all) if (node.cls === 'block' && node.role === 'assistant') found++
      return found
    },
  },
  {
    name: 'union',
    ours: () => "@t0 .block[role='user'], .block[role='tool']",
    css: () => "block[role='user'], block[role='tool']",
    loop(all) {
      const found = []
      for (const node of all) {
        if (node.cls === 'block' && (node.role === 'user' || node.role === 'tool')) found.push(node.id)
      }
      return found
    },
  },
  {
    name: '@order … @limit',
    ours: () => '@t0 .block @order=turn:desc @limit=5',
    css: () => 'block',
    pick: newestFive,
    plainName: 'a loop from the end',
    plain(all) {
      const found = []
      let { turn } = all.at(-1)
      for (let i = all.length - 1; i >= 0; i--) {
        if (all[i].turn !== turn && found.length >= 5) break
        ;({ turn } = all[i])
        if (all[i].cls === 'block') found.push(all[i])
      }
      return idsOf(newestFive(found.reverse()))
    },
  },
  {
    name: 'newest of a key',
    whole: true,
    ours: () => '@t0 #plan @order=turn:desc @first',
    css: () => "[key='plan']",
    pick: (nodes) => nodes.slice(-1),
    plainName: 'a loop from the end',
    plain(all) {
      for (let i = all.length - 1; i >= 0; i--) if (all[i].key === 'plan') return [all[i].id]
      return []
    },
  },
]

function loopPlan(all) {
  const found = []
  for (const node of all) if (node.key === 'plan') found.push(node.id)
  return found
}
