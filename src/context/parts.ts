// The parts of a context, joined once. Reads and edits are classes of their own that share these parts, so that another kind of context can
// commit and fork in its own way.

import type { JsonValue, Warning } from '../core/index.js'
import { View, type Timeline } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'
import { TreeTokens, type TokenTotal } from '../reports/index.js'
import {
  Attempts,
  promptOf,
  Tracing,
  type Attempt as AttemptOn,
  type RecordedRendering,
  type Sent,
} from '../attempts/index.js'
import { CommitListeners } from './commit-listeners.js'
import { CommitWarnings } from './commit-warnings.js'
import { Home } from './edition.js'
import { Editor } from './editor.js'
import type { Family } from './family.js'
import { Holds } from './hold.js'
import type { Mutation } from './mutation-query.js'
import { OpenCycle } from './open-cycle.js'
import { wallClock, type AnyOptions } from './options.js'
import { RequestBudget } from './over-budget.js'
import { Queries } from './query.js'
import type { Received } from './receive.js'
import { Snapshot } from './snapshot.js'
import type { Start } from './start.js'
import { trimmedPreview } from './trim.js'
import { Views } from './views.js'
import { Warnings } from './warnings.js'
import { Gate } from './write-gate.js'

/** One provider call, from its start to its end. */
export type Attempt<Body = unknown, Reply extends object = object> = AttemptOn<Snapshot, Body, Received, Reply>

export type Parts = Readonly<{
  id: string
  options: AnyOptions
  timeline: Timeline
  tokens: TokenCounts
  /** The part of the context that kept snapshots hold weakly. */
  home: Home
  family: Family
  open: OpenCycle
  gate: Gate
  views: Views
  queries: Queries
  editor: Editor
  /** The ids of the results that the policy never sheds. */
  excepted: (view: View) => ReadonlySet<string>
  holds: Holds
  warnings: Warnings
  commitWarnings: CommitWarnings
  listeners: CommitListeners
  tracing: Tracing
  attempts: Attempts<Snapshot>
  /** The number of forks that have left. */
  forks: { given: number }
  /** The fields of an imported document outside its tree, by cycle, if they were loaded later. */
  extras: Extras
  /** The warnings of its import. */
  importWarnings: readonly Warning[]
}>

/** Made at the first one: most contexts never have any. */
type Extras = { byCycle: Map<number, ReadonlyMap<string, JsonValue>> | undefined }

/** A function of its own, so that a fork that takes it over keeps nothing else alive. */
function withLoaded(own: Start['edition']['extrasAt'], loaded: Extras): Start['edition']['extrasAt'] {
  return (cycle) => loaded.byCycle?.get(cycle) ?? own(cycle)
}

/** Joins the parts of a context that begins. */
export function joinParts({ options, timeline, draft, mint, tokens, opens, ...start }: Start): Parts {
  const id = options.id ?? 'context'
  const { dialect, specVersion, extrasAt } = start.edition
  const gate = new Gate()
  const holds = new Holds()
  const warnings = new Warnings([...start.warnings, ...(start.laterWarnings ?? [])], options.onWarning, gate)
  const views = new Views(dialect, options.selectRangeReturnsDiff !== false, timeline, warnings)
  const queries = new Queries(views)
  const except = options.prune?.results?.except
  const meant = except === undefined ? undefined : queries.mutation(except)
  const excepted = (view: View): ReadonlySet<string> => idsMeant(meant, view)
  const open = new OpenCycle({
    options,
    timeline,
    draft,
    mint,
    tokens,
    dialect,
    holds,
    gate,
    due: start.due,
    excepted: (draft) => excepted(View.ofWorking(draft)),
    instancesOf: (view, key, deepest) => queries.instancesOf(view, key, deepest),
    warn: (message, details) => warnings.add(message, details),
  })
  views.open = open
  if (mint.sources.fork === '') warnOfTarget(options, warnings)
  const { family } = start
  const extras: Extras = { byCycle: undefined }
  const counts = new TreeTokens(tokens, gate)
  const edition = {
    dialect,
    specVersion,
    extrasAt: withLoaded(extrasAt, extras),
    queries,
    tokens: counts,
    budget: RequestBudget.of(options, counts, warnings),
  }
  const editor = new Editor(open, queries)
  const home = new Home(timeline, edition, family, (erasing) => {
    timeline.erase(erasing)
    open.erase(erasing)
    attempts.erase(erasing)
    queries.clear()
    tokens.forget()
  })
  if (opens) open.begin()
  const tracing = new Tracing(options.tracer, id, (call) => gate.aside(call))
  const attempts = new Attempts(
    {
      fork: mint.sources.fork,
      dialect,
      clock: options.attemptClock ?? wallClock,
      keep: options.keepAttempts,
      tracing,
      forgotten: family,
      send: (asked, rendering, mayShed): Sent<Snapshot> => {
        const lens = asked ?? views.sentLens
        const cuts = mayShed && options.prune?.maxTokens !== undefined
        const trims = asked === undefined && lens === 'preview' && cuts && !gate.isShut
        const view = trims ? trimmedPreview({ options, editor, edition }, rendering) : views.still(lens)
        const base = lens === 'working' || lens === 'preview' ? timeline.newest : view.cycle
        return {
          lens,
          cycle: open.draft.cycle,
          snapshot: Snapshot.handOut(view, home),
          view,
          base: base === undefined ? undefined : View.ofSnapshot(timeline, base),
        }
      },
      reading: (run) => gate.reading(run),
      snapshotAt: (cycle) => views.of(`@c${cycle}`),
      viewOf,
      treeOf: (view) => new Snapshot({ view, edition: home.edition }),
      tokens: tokensOf,
    },
    start.attempts,
  )
  views.attempts = attempts
  return {
    id,
    options,
    timeline,
    tokens,
    home,
    family,
    open,
    gate,
    views,
    queries,
    editor,
    excepted,
    holds,
    warnings,
    commitWarnings: new CommitWarnings(warnings),
    listeners: new CommitListeners(warnings, gate),
    tracing,
    attempts,
    forks: { given: start.forks ?? 0 },
    extras,
    importWarnings: start.warnings,
  }
}

/** A limit without low water below it is reached again by every turn (D60). */
function warnOfTarget({ prune }: AnyOptions, warnings: Warnings): void {
  const { maxTokens, target, maxNodes, maxDepth, maxNodesPerSegment } = prune ?? {}
  if (target !== undefined && [maxTokens, maxNodes, maxDepth, maxNodesPerSegment].every((each) => each === undefined)) {
    const message = 'prune.target has no limit to go with, so nothing is pruned. Add maxTokens, maxNodes or maxDepth.'
    warnings.add(message, { kind: 'target-without-limit', target })
  }
  if (maxTokens === undefined || (target !== 1 && target !== maxTokens)) return
  const message =
    `prune.target is ${target}, so the token limit cuts at every commit, and the prompt cache misses every time. ` +
    'Leave target out (0.6), or give a share such as 0.3.'
  warnings.add(message, { kind: 'target-at-limit', target })
}

/** The ids that a selector finds in a tree; those of its first choice that finds any. */
function idsMeant(mutation: Mutation | undefined, view: View): ReadonlySet<string> {
  for (const { matches } of mutation?.choices ?? []) {
    const found = matches(view)
    if (found.length > 0) return new Set(found.map(({ id }) => id))
  }
  return new Set()
}

function viewOf(snapshot: Snapshot): View {
  return Snapshot.viewOf(snapshot)
}

function tokensOf(snapshot: Snapshot, rendering: RecordedRendering | undefined): TokenTotal {
  if (rendering === undefined) return snapshot.tokens()
  const { tools, system } = promptOf(rendering) ?? {}
  return snapshot.tokens({ for: rendering.to, options: rendering.options, tools, system })
}

/** Carries listeners and warnings over to the new parts of a context. */
export function takeOver(from: Parts, to: Parts): void {
  to.warnings.takeOver(from.warnings)
  to.listeners.takeOver(from.listeners)
}
