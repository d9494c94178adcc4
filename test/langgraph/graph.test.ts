// Whole graphs of LangGraph on a store, with LangGraph's own MemorySaver as the twin: forks, updates of the state, interrupts, nested graphs. Where savers
// of LangGraph were reported to fail (a fork that replays the branch it left, an update that erases messages, rows without an owner), ours is asked too.

import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages'
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from '@langchain/langgraph'
import { PactSaver } from 'pact-context/langgraph'
import { openStore } from 'pact-context/store'
import { expect, test } from 'vitest'

const THREAD = { configurable: { thread_id: 't' } }

function appended(before: readonly string[] | undefined, writes: readonly string[][]): string[] {
  return [...(before ?? []), ...writes.flat()]
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  deltas: (): DeltaChannel<string[], string[]> => new DeltaChannel(appended, { snapshotFrequency: 1_000 }),
  mood: Annotation<string>,
  looked: Annotation<string>,
})
const Nested = Annotation.Root({ looked: Annotation<string> })

/** A graph whose nodes answer with a tag, ask a person, and run a nested graph. */
function graphOf(checkpointer: BaseCheckpointSaver, tag: string) {
  const nested = new StateGraph(Nested)
    .addNode('look', () => ({ looked: tag }))
    .addEdge(START, 'look')
    .addEdge('look', END)
    .compile()
  return new StateGraph(State)
    .addNode('answer', ({ messages }) => ({
      messages: [new AIMessage({ id: `${tag} ${messages.length}`, content: tag })],
      log: [tag],
      deltas: [tag],
    }))
    .addNode('nested', nested)
    .addNode('ask', () => ({ mood: interrupt<string, string>(`${tag}?`) }))
    .addEdge(START, 'answer')
    .addEdge('answer', 'nested')
    .addEdge('nested', 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer })
}

function said(id: string): { messages: BaseMessage[]; log: string[]; deltas: string[] } {
  return { messages: [new HumanMessage({ id, content: id })], log: [id], deltas: [id] }
}

/** Everything that a program can see of a thread, without ids and times. */
async function seen(checkpointer: BaseCheckpointSaver): Promise<unknown[]> {
  const states: unknown[] = []
  for await (const { values, next, metadata, tasks } of graphOf(checkpointer, 'x').getStateHistory(THREAD)) {
    const asked = tasks.map(({ name, interrupts }) => [name, interrupts.map(({ value }) => value as string)])
    states.push({ values: JSON.parse(JSON.stringify(values)) as object, next, step: metadata?.step, asked })
  }
  return states
}

/** A run that is answered, a second one, a fork of the first, and an update there. */
async function played(checkpointer: BaseCheckpointSaver): Promise<unknown> {
  await graphOf(checkpointer, 'first').invoke(said('one'), THREAD)
  await graphOf(checkpointer, 'first').invoke(new Command({ resume: 'calm' }), THREAD)
  const base = await graphOf(checkpointer, 'x').getState(THREAD)
  await graphOf(checkpointer, 'left').invoke(said('two'), THREAD)
  const left = await graphOf(checkpointer, 'x').getState(THREAD)
  await graphOf(checkpointer, 'right').invoke(said('three'), base.config)
  const right = await graphOf(checkpointer, 'x').getState(THREAD)
  await graphOf(checkpointer, 'right').updateState(right.config, null, END)
  const end = await graphOf(checkpointer, 'x').getState(THREAD)
  const leftAgain = await graphOf(checkpointer, 'x').getState(left.config)
  const values = [base, left, right, end, leftAgain].map((state) => state.values as typeof State.State)
  return JSON.parse(JSON.stringify(values))
}

test('a thread with interrupts, a nested graph, a fork and an update is that of the MemorySaver', async () => {
  const store = await openStore('memory:')
  const [ours, twin] = [new PactSaver(store), new MemorySaver()]
  expect(await played(ours)).toEqual(await played(twin))
  expect(await seen(ours)).toEqual(await seen(twin))
  // A saver without anything in memory.
  expect(await seen(new PactSaver(store))).toEqual(await seen(twin))
  expect((await store.fsck()).problems).toEqual([])
  await store.close()
})

test('a fork does not replay the branch that it left, and an update erases nothing', async () => {
  const store = await openStore('memory:')
  await played(new PactSaver(store))
  const graph = graphOf(new PactSaver(store), 'x')
  const { values } = (await graph.getState(THREAD)) as { values: typeof State.State }
  const branch = ['one', 'first', 'three', 'right']
  expect(values).toMatchObject({ log: branch, deltas: branch, mood: 'calm', looked: 'right' })
  expect(values.messages.map(({ content }) => content)).toEqual(branch)
  const ctx = await store.open('langgraph/t/@root')
  expect(ctx.thread('@t0').map(({ content }) => content)).toEqual(branch)
  await store.close()
})

test('an update of an old state of plain channels starts a branch, and leaves the others', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  await graphOf(saver, 'first').invoke(said('one'), THREAD)
  const base = await graphOf(saver, 'x').getState(THREAD)
  await graphOf(saver, 'first').invoke(new Command({ resume: 'calm' }), THREAD)
  const left = await graphOf(saver, 'x').getState(THREAD)
  const config = await graphOf(saver, 'x').updateState(base.config, { mood: 'new', log: ['update'] }, 'ask')
  const [forked, again] = [await graphOf(saver, 'x').getState(config), await graphOf(saver, 'x').getState(left.config)]
  expect(forked.values).toMatchObject({ mood: 'new', log: [...(base.values as { log: string[] }).log, 'update'] })
  expect(again.values).toEqual(left.values)
  await store.close()
})

test('checkpoints whose ancestors were thinned out, or that were deleted, leave nothing without an owner', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  await graphOf(saver, 'first').invoke(said('one'), THREAD)
  await graphOf(saver, 'first').invoke(new Command({ resume: 'calm' }), THREAD)
  for (const { id } of (await store.list()).contexts) await store.retain(id, { keep: { newest: 1 } })
  await graphOf(new PactSaver(store), 'second').invoke(said('two'), THREAD)
  const { values } = (await graphOf(saver, 'x').getState(THREAD)) as { values: typeof State.State }
  expect(values.messages.map(({ content }) => content)).toEqual(['one', 'first', 'two', 'second'])
  expect((await seen(saver)).length).toBeGreaterThan(1)
  expect((await store.fsck()).problems).toEqual([])
  await saver.deleteThread('t')
  expect((await store.list()).contexts).toEqual([])
  expect((await graphOf(saver, 'x').getState(THREAD)).values).toEqual({})
  await store.close()
})
