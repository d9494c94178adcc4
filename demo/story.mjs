// @ts-check
// A conversation that has everything the inspector shows: retrieved notes that expire, a plan that is replaced, a reminder that returns,
// a redaction, a budget that prunes, calls that failed or were canceled. A context gets it turn by turn; `npm start` and the tests of the inspector show it.

/**
 * The part of a context that a story needs, in memory or stored.
 * @typedef {Pick<import('pact-context').Context, 'system' | 'user' | 'assistant' | 'tool' | 'pre' | 'post' | 'replace' | 'delete'>} Context
 */

/** Fixed by the story, so that every run on every machine makes the same bytes. */
export const CLOCK_START = 1_767_603_600_000_000_000n // 2026-01-05T09:00:00Z

/**
 * Options for one telling: a clock for nodes, another for attempts, a budget.
 * @returns {import('pact-context').ContextOptions}
 */
export function storyOptions() {
  let now = CLOCK_START
  let sent = CLOCK_START
  return {
    clock: () => (now += 1_700_000_000n),
    attemptClock: () => (sent += 1_130_000_000n),
    prune: { maxTokens: { '^seq': 960 }, protectSegments: 3 },
  }
}

const POLICY = [
  '# Desk of Northwind Rail',
  '',
  'You help travellers change, cancel and book journeys. The current time is 2026-01-05 09:00 UTC.',
  '',
  '- Before any write to the booking system, list what will happen and ask for an explicit yes.',
  '- Saver tickets can be changed up to one hour before departure, for a fee of 15.',
  '- A journey can be cancelled within 24 hours of booking, or when the operator cancelled the train.',
  '- One discount card for each passenger. Discounts do not add up.',
].join('\n')

const KB_CHANGE =
  'Saver tickets can be changed up to one hour before departure. The fee is 15 for each passenger and change.'
const KB_PAY =
  'A journey can use one voucher, one card and three gift cards. What is left of a voucher is not paid back.'
const KB_CANCEL = 'Any journey can be cancelled within 24 hours of booking. After that only flexible tickets can.'

/** @typedef {(ctx: Context) => void} Extra */

/** @type {readonly (readonly (readonly [string, string] | readonly ['call', string, object] | readonly ['result', string, unknown])[])[]} */
const TURNS = [
  [['user', 'Hi, I would like to travel a day later. Can you change my ticket?']],
  [
    ['assistant', 'Gladly. Which booking is it, and which day would suit you?'],
    ['user', 'I do not have the number here. It is the trip to Lyon next week.'],
  ],
  [
    ['assistant', 'No problem. Please give me your traveller id, and I will look for it.'],
    ['user', 'It is mira_okafor_5519.'],
  ],
  [
    ['call', 'get_traveller', { traveller: 'mira_okafor_5519' }],
    [
      'result',
      'get_traveller',
      {
        name: 'Mira Okafor',
        born: '1988-03-14',
        street: '12 Harbour Lane',
        city: 'Bristol',
        cards: ['rail-plus'],
        bookings: ['NW7K2Q', 'NW1B9D'],
      },
    ],
  ],
  [
    ['call', 'get_booking', { booking: 'NW7K2Q' }],
    [
      'result',
      'get_booking',
      {
        booking: 'NW7K2Q',
        from: 'Paris',
        to: 'Lyon',
        date: '2026-01-12',
        fare: 'saver',
        passengers: 3,
        trains: [
          { no: 6607, departs: '08:58', arrives: '10:56', seats: ['4A', '4B', '4C'] },
          { no: 6632, departs: '18:04', arrives: '20:02', seats: ['7A', '7B', '7C'] },
        ],
        paid: 222,
      },
    ],
  ],
  [
    ['assistant', 'I found NW7K2Q: Paris to Lyon on 12 January, three passengers. Which day shall it be?'],
    ['user', 'The 13th, mornings are best.'],
  ],
  [
    ['call', 'search_trains', { from: 'Paris', to: 'Lyon', date: '2026-01-13', before: '12:00' }],
    [
      'result',
      'search_trains',
      {
        trains: Array.from({ length: 9 }, (_, i) => ({
          no: 6601 + 2 * i,
          departs: `0${6 + Math.floor(i / 2)}:${i % 2 === 0 ? '00' : '30'}`,
          seats: 40 - 3 * i,
          saver: 74 + i,
          flexible: 121 + i,
        })),
      },
    ],
  ],
  [
    ['call', 'calculate', { expression: '3 * (74 + 15) - 222' }],
    ['result', 'calculate', '45'],
  ],
  [
    [
      'assistant',
      'Train 6601 at 06:00 costs 74 each. With the fee of 15 each that is 45 more in all. Shall I change it?',
    ],
    ['user', 'A bit early. What about nine?'],
  ],
  [
    ['call', 'search_trains', { from: 'Paris', to: 'Lyon', date: '2026-01-13', at: '09:00' }],
    ['result', 'search_trains', { trains: [{ no: 6613, departs: '09:00', seats: 22, saver: 80, flexible: 127 }] }],
  ],
  [
    ['assistant', '6613 leaves at 09:00, 80 each: 63 more than you paid, fees included. Shall I change it?'],
    ['user', 'Yes, please. I have a voucher of 50; can I use it?'],
  ],
  [
    ['assistant', 'You can: one voucher for a journey. I will charge the other 13 to your card. Do you agree?'],
    ['user', 'Yes.'],
  ],
  [
    ['call', 'change_booking', { booking: 'NW7K2Q', train: 6613, voucher: 'V-50', card: 13 }],
    ['result', 'change_booking', 'Error: the amount does not add up; 63 expected, 13 given.'],
  ],
  [
    ['call', 'think', { thought: 'The voucher has to be given as an amount of its own, not instead of the card.' }],
    ['result', 'think', '(no output)'],
  ],
  [
    ['call', 'change_booking', { booking: 'NW7K2Q', train: 6613, voucher: 'V-50', amounts: [50, 13] }],
    ['result', 'change_booking', 'Done: NW7K2Q now travels on 2026-01-13 with train 6613.'],
  ],
  [
    ['assistant', 'Done. NW7K2Q now leaves on 13 January at 09:00. Anything else?'],
    ['user', 'No, that was all. Thank you!'],
  ],
]

const PLANS = [
  'Plan\n1. Find the booking\n2. Find trains on another day\n3. Tell what it costs\n4. Change it after a yes',
  'Plan\n1. Find the booking: NW7K2Q\n2. Find trains on the 13th\n3. Tell what it costs\n4. Change it after a yes',
  'Plan\n1. Find the booking: NW7K2Q\n2. Train 6613 on the 13th, 09:00\n3. Told: 63 more, fees included\n4. Change it, voucher first',
]

/** The additions of the program to turn n. @type {Readonly<Record<number, Extra>>} */
const EXTRAS = {
  1: (ctx) =>
    void ctx.pre('Reminder: list what will happen and get an explicit yes before any write.', {
      key: 'confirm',
      cad: 6,
      ttl: 1,
      tags: ['rule'],
    }),
  2: (ctx) => void ctx.post(KB_CHANGE, { key: 'kb-change', tags: ['rag'], ttl: 3, data_score: 0.83 }),
  4: (ctx) => void ctx.post(PLANS[0] ?? '', { key: 'plan', pinned: true }),
  6: (ctx) => void ctx.replace('#plan', { content: PLANS[1] ?? '' }),
  8: (ctx) => void ctx.post('Fare kept for the quote: 3 saver tickets, 222 paid.', { key: 'fare', tags: ['note'] }),
  10: (ctx) =>
    void ctx.delete("^seq *[content~'Harbour Lane']", { author: 'privacy-bot', reason: 'home address, date of birth' }),
  11: (ctx) => {
    ctx.post(KB_PAY, { key: 'kb-payment', tags: ['rag'], ttl: 3, data_score: 0.91 })
    ctx.post(KB_CANCEL, { key: 'kb-cancel', tags: ['rag'], ttl: 2, data_score: 0.77 })
  },
  12: (ctx) => void ctx.replace('#plan', { content: PLANS[2] ?? '' }),
}

export const STORY_CYCLES = TURNS.length

/**
 * Tells the story to a context; `commit` seals a turn and `sent` is called after each, with its number.
 * @param {Context} ctx
 * @param {() => unknown} commit
 * @param {(turn: number) => unknown} [sent]
 */
export async function tellStory(ctx, commit, sent = () => undefined) {
  ctx.system.add(POLICY, { role: 'system', key: 'policy' })
  for (const [at, turn] of TURNS.entries()) {
    for (const [i, part] of turn.entries()) say(ctx, part, `call_${at}_${Math.floor(i / 2)}`)
    EXTRAS[at + 1]?.(ctx)
    await commit()
    await sent(at + 1)
  }
}

/**
 * @param {Context} ctx
 * @param {readonly [string, unknown, unknown?]} part
 * @param {string} callId
 */
function say(ctx, [kind, what, more], callId) {
  const header = { data_call_id: callId, data_name: String(what), priority: -1 }
  const text = typeof more === 'string' ? more : JSON.stringify(more)
  if (kind === 'call') ctx.assistant({ name: String(what), arguments: text }, { ...header, kind: 'call' })
  else if (kind === 'result') ctx.tool(text, { ...header, kind: 'result' })
  else if (kind === 'user') ctx.user(String(what))
  else ctx.assistant(String(what))
}

/**
 * Notes how the calls of a turn ended: most were answered, the third failed first, the eleventh was canceled once.
 * @param {Pick<import('pact-context').Context, 'startAttempt' | 'tokens'>} ctx
 * @param {number} turn
 * @param {import('pact-context').AttemptInput['for']} [to] the adapter that made the requests; without one, their bytes are not known
 */
export function noteAttempts(ctx, turn, to) {
  const lens = /** @type {const} */ ('@t0')
  const input = { provider: 'openai', model: 'gpt-4o', params: { temperature: 0 }, lens, ...(to && { for: to }) }
  if (turn === 3)
    ctx
      .startAttempt(input)
      .fail(Object.assign(new Error('429 Too many requests; retry after 2 s'), { name: 'RateLimitError' }))
  if (turn === 11) ctx.startAttempt(input).cancel()
  ctx.startAttempt(input).complete({ tokenIn: ctx.tokens('@t0').total + 11, tokenOut: 40 + turn })
}

/**
 * A turn in which a tool loop sends what is open, time and again: stopped, edited, sent again, and committed with the reply.
 * @param {Pick<import('pact-context').Context, 'user' | 'assistant' | 'tool' | 'startAttempt' | 'undo'>} ctx
 * @param {import('pact-context').AttemptInput['for']} to
 */
export function sendWhileOpen(ctx, to) {
  const input = { provider: 'openai', model: 'gpt-4o', params: {}, for: to }
  ctx.user('And a table for dinner, near the sea?')
  ctx.startAttempt(input).cancel()
  ctx.undo()
  ctx.user('And a table for dinner, near the station?')
  ctx.startAttempt(input).complete({ tokenIn: 900, tokenOut: 20 })
  const header = { data_call_id: 'dinner', data_name: 'find_table' }
  ctx.assistant({ name: 'find_table', arguments: '{"near":"station"}' }, { ...header, kind: 'call' })
  ctx.tool('Chez Nora, 19:30', { ...header, kind: 'result' })
  ctx.startAttempt(input).complete({ tokenIn: 960, tokenOut: 31 })
  ctx.assistant('Chez Nora has a table at 19:30.')
}

/**
 * The story in a store, with a fork that takes another way from turn 9 on; a store that has the story already is left alone.
 * @param {import('pact-context/store').Store} store
 * @param {string} id
 * @param {import('pact-context').AttemptInput['for']} [to]
 */
export async function addDemoStory(store, id, to) {
  if ((await store.find(id)) !== undefined) return
  const { prune } = storyOptions()
  const ctx = await store.create(id, { prune, attemptClock: recentClock(90) })
  await tellStory(
    ctx,
    () => ctx.commit(),
    (turn) => noteAttempts(ctx, turn, to),
  )
  const fork = await ctx.fork('@c9', { id: `${id}-later-train`, attemptClock: recentClock(30) })
  for (const [question, answer] of OTHER_WAY) {
    fork.user(question)
    fork.assistant(answer)
    await fork.commit()
    noteAttempts(fork, 20, to)
  }
}

/**
 * A clock for the calls of a story: it began some seconds ago, and each look at it takes 1.3 s, so that calls have durations.
 * @param {number} ago
 */
export function recentClock(ago) {
  let now = BigInt(Date.now() - ago * 1000) * 1_000_000n
  return () => (now += 1_300_000_000n)
}

/** @type {readonly (readonly [string, string])[]} */
const OTHER_WAY = [
  [
    'Then rather in the afternoon of the 13th.',
    'Train 6625 leaves at 14:00 and costs 77 each: 54 more in all. Shall I change it?',
  ],
  ['Yes, and all to my card.', 'Done. NW7K2Q now leaves on 13 January at 14:00.'],
]
