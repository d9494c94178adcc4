// Forms over a node: insert, replace, redact in the working state, and fork. Each shows its call and the server's answer.

import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Failure } from '../api/http.js'
import * as routes from '../api/routes.js'
import type { JsonObject, Operation } from '../../api/index.js'
import { fetchAnswer, useRead } from '../state/reads.js'
import type { Form as FormKind } from '../state/session.js'
import { callText, operationOf, type Fields } from '../words/calls.js'
import { useActions } from './actions.js'
import { nameOf } from './bits.js'
import { contentOf } from './changes.js'
import { useSession } from './use-session.js'

const PLACES = ['(d0, 0, end)', '(d0, end)', '(d0,)', '(d1, end)', '(d1,)', '(d2, end)']
const TITLES: Readonly<Record<FormKind, string>> = {
  insert: 'Insert a node',
  replace: 'Replace',
  redact: 'Redact',
  fork: 'Fork from',
}
const BUTTONS: Readonly<Record<FormKind, string>> = {
  insert: 'Insert',
  replace: 'Replace',
  redact: 'Redact',
  fork: 'Fork',
}

export function FormPane(): JSX.Element | null {
  const { form, place } = useSession()
  const kind = form.value
  if (kind === null) return null
  return <EditForm key={`${kind} ${kind === 'insert' ? '' : place.value.node} ${place.value.at}`} kind={kind} />
}

function EditForm({ kind }: { kind: FormKind }): JSX.Element {
  const session = useSession()
  const { place, form, say, edits, at } = session
  const { pick, toContext } = useActions()
  const element = useRef<HTMLFormElement>(null)
  const fields = useSignal<Fields>(START)
  const error = useSignal<Failure | null>(null)
  const isBusy = useSignal(false)
  const node = place.value.node ?? ''
  useContentOnce(kind, fields)

  useLayoutEffect(() => {
    element.current?.querySelector<HTMLElement>(kind === 'insert' || kind === 'replace' ? 'textarea' : 'input')?.focus()
  }, [])

  const apply = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      if (kind === 'fork') await fork()
      else {
        const operation: Operation = operationOf(kind, fields.value, node)
        const [first] = await edits.add(operation, `${operation.op}()`)
        form.value = null
        if (first !== undefined) pick(first)
        say('Done in the working state. Undo with u.')
      }
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      error.value = failure
    } finally {
      isBusy.value = false
    }
  }
  const fork = async (): Promise<void> => {
    const moment = at.peek()
    if (moment === null) return
    const { id } = await fetchAnswer(routes.fork(place.peek().context, moment, fields.value.id))
    form.value = null
    toContext(id)
    say('Forked. The past is shared; this context is on its own from here.')
  }
  const title =
    kind === 'insert'
      ? TITLES.insert
      : kind === 'fork'
        ? `${TITLES.fork} ${nameOf(at.value ?? 'working')}`
        : `${TITLES[kind]} ${node}`
  return (
    <form
      class="form"
      id="edit"
      ref={element}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        void apply()
      }}
    >
      <h2 class="outside">{title}</h2>
      {kind === 'insert' && <InsertFields of={fields} />}
      {kind === 'redact' && <RedactFields of={fields} />}
      {kind === 'fork' && <Text of={fields} name="id" label="id of the new context" />}
      {(kind === 'insert' || kind === 'replace') && (
        <label>
          content
          <textarea
            name="content"
            value={fields.value.content}
            onInput={(event) => (fields.value = { ...fields.value, content: event.currentTarget.value })}
          />
        </label>
      )}
      <pre class="outside">{callText(kind, fields.value, node, at.value ?? 'working')}</pre>
      {error.value !== null && (
        <p class="err outside" role="alert">
          <code>{error.value.code}</code> {error.value.message}
        </p>
      )}
      <div class="acts">
        <button type="submit" class="btn primary" disabled={isBusy.value}>
          {BUTTONS[kind]}
        </button>
        <button type="button" class="btn" onClick={() => (form.value = null)}>
          Cancel
        </button>
        <span class="muted small">
          {kind === 'fork'
            ? 'The past is shared, nothing is copied.'
            : 'Nothing is written before a commit; undo takes it back.'}
        </span>
      </div>
    </form>
  )
}

const START: Fields = {
  where: '(d0, end)',
  role: '',
  ttl: '',
  key: '',
  tags: '',
  pinned: '',
  content: '',
  author: '',
  reason: '',
  id: '',
}

/** A replacement starts from the node's current content. */
function useContentOnce(kind: FormKind, fields: Signal<Fields>): void {
  const { place, as, edits } = useSession()
  const filled = useRef(false)
  const { value, isFresh } = useRead(() => {
    const { context, node, at } = place.value
    return kind !== 'replace' || node === null || at === null
      ? null
      : routes.node(context, { node, at, as: as.value, isWhole: true }, edits.draft.value)
  })
  const node: JsonObject | undefined = value?.node
  if (kind === 'replace' && isFresh && node !== undefined && !filled.current) {
    filled.current = true
    fields.value = { ...fields.peek(), content: contentOf(node) }
  }
}

function InsertFields({ of }: { of: Signal<Fields> }): JSX.Element {
  return (
    <div class="g">
      <Choice of={of} name="where" label="where">
        {PLACES.map((place) => (
          <option key={place}>{place}</option>
        ))}
      </Choice>
      <Choice of={of} name="role" label="role">
        <option value="">none (context)</option>
        <option>user</option>
        <option>assistant</option>
        <option>tool</option>
      </Choice>
      <Text of={of} name="ttl" label="ttl" hint="stays" />
      <Text of={of} name="key" label="key" />
      <Text of={of} name="tags" label="tags" hint="rag, kb" />
      <Choice of={of} name="pinned" label="pinned">
        <option value="">no</option>
        <option value="1">yes</option>
      </Choice>
    </div>
  )
}

function RedactFields({ of }: { of: Signal<Fields> }): JSX.Element {
  return (
    <>
      <div class="g two">
        <Text of={of} name="author" label="author" />
        <Text of={of} name="reason" label="reason" />
      </div>
      <p class="muted">
        A marker takes its place in every later snapshot. Earlier snapshots still hold the text; use{' '}
        <code>pctx erase</code> to take it out of those.
      </p>
    </>
  )
}

type FieldProps = Readonly<{
  of: Signal<Fields>
  name: keyof Fields
  label: string
  hint?: string
  children?: ComponentChildren
}>

function Text({ of, name, label, hint = '' }: FieldProps): JSX.Element {
  return (
    <label>
      {label}
      <input
        name={name}
        value={of.value[name]}
        placeholder={hint}
        autocomplete="off"
        onInput={(event) => (of.value = { ...of.value, [name]: event.currentTarget.value })}
      />
    </label>
  )
}

function Choice({ of, name, label, children }: FieldProps): JSX.Element {
  return (
    <label>
      {label}
      <select
        name={name}
        value={of.value[name]}
        onChange={(event) => (of.value = { ...of.value, [name]: event.currentTarget.value })}
      >
        {children}
      </select>
    </label>
  )
}
