// Uncommitted edits: operations as data, kept in the page and in the tab's session storage, so that a reload loses none. The server
// tries each operation before it joins the list, and keeps nothing of it. Edits build on the newest cycle; if another writer
// commits, they wait until the user decides whether to rebase them.

import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import { Failure } from '../api/http.js'
import * as routes from '../api/routes.js'
import type { Draft } from '../api/routes.js'
import type { Operation } from '../../api/index.js'
import { trouble } from './connection.js'
import { fetchAnswer, startRead } from './reads.js'

export type Edit = Readonly<{ operation: Operation; label: string; ids: readonly string[] }>

export type Edits = Readonly<{
  list: ReadonlySignal<readonly Edit[]>
  /** All operations of the open cycle: those that a program has saved, then those of this page. */
  draft: ReadonlySignal<Draft>
  /** The operations that a program has saved, without those that a commit has overtaken. */
  saved: ReadonlySignal<readonly Operation[]>
  /** True if the edits build on a cycle that is no longer the newest; the server then cannot answer questions about them. */
  isStale: ReadonlySignal<boolean>
  /** Set if another writer's commit caused this. */
  conflict: ReadonlySignal<Readonly<{ base: number; newest: number }> | null>
  /** Tries an operation and adds it. Returns the ids it touched; throws the server's error. */
  add: (operation: Operation, label: string) => Promise<readonly string[]>
  undo: () => boolean
  discard: () => void
  /** Rebases the edits on the newest cycle; throws if they do not apply there. */
  rebase: () => Promise<void>
  /** Commits. Uses the same key until the outcome is known. */
  commit: () => Promise<number>
}>

type Stored = Readonly<{
  base: number
  edits: readonly Edit[]
  /** The key of a commit whose outcome is unknown. */
  key?: string
}>

const NONE: Stored = { base: 0, edits: [] }
const NO_OPERATIONS: readonly Operation[] = []

export function createEdits(
  context: ReadonlySignal<string>,
  newest: ReadonlySignal<number>,
  hasDraft: ReadonlySignal<boolean>,
): Edits {
  const stored = signal<Stored>(NONE)
  /** While a commit is in flight, a new cycle may be our own. */
  const isCommitting = signal(false)

  effect(() => {
    stored.value = context.value === '' ? NONE : load(context.value)
  })
  const set = (next: Stored): void => {
    stored.value = next
    save(context.peek(), next)
  }

  // Without edits there can be no conflict, so they build on the newest cycle.
  const base = computed(() => (stored.value.edits.length > 0 ? stored.value.base : newest.value))
  const program = startRead(() => (hasDraft.value ? routes.savedDraft(context.value) : null)).state
  const current = computed(() => {
    const { value } = program.value
    return value !== undefined && !value.behind && value.cycle === base.value + 1 ? value : undefined
  })
  const saved = computed(() => current.value?.operations ?? NO_OPERATIONS)
  const own = computed(() => stored.value.edits.map(({ operation }) => operation))
  const draft = computed((): Draft => ({ base: base.value, operations: [...saved.value, ...own.value] }))

  const commit = async (): Promise<number> => {
    const id = context.peek()
    const of = stored.peek()
    const asked = { base: base.peek(), operations: own.peek() }
    const version = current.peek()?.version
    const key = of.key ?? crypto.randomUUID()
    isCommitting.value = true
    set({ ...of, base: asked.base, key })
    try {
      const { cycle } = await fetchAnswer(routes.commit(id, asked, version, key)).catch((error: unknown) => {
        // A context in memory keeps no answers and takes no key.
        if (!(error instanceof Failure) || error.details['name'] !== 'key') throw error
        return fetchAnswer(routes.commit(id, asked, version))
      })
      // Edits added since the request stay, and build on the new commit.
      if (context.peek() === id) set({ base: cycle, edits: stored.peek().edits.slice(of.edits.length) })
      else save(id, NONE)
      return cycle
    } catch (error) {
      const isOver = error instanceof Failure && error.kind === 'refused'
      if (isOver && context.peek() === id) set({ base: stored.peek().base, edits: stored.peek().edits })
      throw error
    } finally {
      isCommitting.value = false
    }
  }

  const isStale = computed(() => stored.value.edits.length > 0 && newest.value > stored.value.base)
  const unknown = computed(() => (isStale.value ? stored.value.key : undefined))
  effect(() => {
    // The newest cycle may hold these very edits if the answer to their commit was lost. Sending the key again settles it.
    if (unknown.value === undefined || isCommitting.value || trouble.value !== null) return
    void commit().catch(() => undefined)
  })

  return {
    list: computed(() => stored.value.edits),
    draft,
    saved,
    isStale,
    conflict: computed(() =>
      isStale.value && !isCommitting.value ? { base: stored.value.base, newest: newest.value } : null,
    ),
    add: async (operation, label) => {
      for (;;) {
        const of = stored.peek()
        const before = draft.peek()
        const operations = [...before.operations, operation]
        const { ids } = await fetchAnswer(routes.preview(context.peek(), { base: before.base, operations }))
        // The edits changed or a commit came meanwhile: try again on the current state.
        if (stored.peek() !== of) continue
        const touched = ids.at(-1) ?? []
        set({ base: before.base, edits: [...of.edits, { operation, label, ids: touched }] })
        return touched
      }
    },
    undo: () => {
      const { base, edits } = stored.peek()
      if (edits.length === 0 || isCommitting.peek()) return false
      set({ base, edits: edits.slice(0, -1) })
      return true
    },
    discard: () => set(NONE),
    rebase: async () => {
      const of = stored.peek()
      const next = { base: newest.peek(), operations: of.edits.map(({ operation }) => operation) }
      const { ids } = await fetchAnswer(routes.preview(context.peek(), next))
      if (stored.peek() !== of) return
      set({ base: next.base, edits: of.edits.map((edit, i) => ({ ...edit, ids: ids[i] ?? [] })) })
    },
    commit,
  }
}

function nameOf(context: string): string {
  return `pact-edits ${context}`
}

function load(context: string): Stored {
  try {
    const { base, edits, key } = JSON.parse(sessionStorage.getItem(nameOf(context)) ?? '{}') as Partial<Stored>
    if (typeof base !== 'number' || !Array.isArray(edits)) return NONE
    return { base, edits, ...(typeof key === 'string' ? { key } : {}) }
  } catch {
    return NONE
  }
}

function save(context: string, next: Stored): void {
  try {
    if (next.edits.length === 0) sessionStorage.removeItem(nameOf(context))
    else sessionStorage.setItem(nameOf(context), JSON.stringify(next))
  } catch {
    // If storage is full or forbidden, a reload loses the edits; the page keeps them.
  }
}
