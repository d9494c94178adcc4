// What every snapshot of a context has in common, and how long a snapshot may ask for it: as long as the context is there. A
// program may keep a snapshot for good, and then keeps its one tree, not the past and the future of its context (G2).

import type { Dialect, JsonValue, Receipt } from '../core/index.js'
import { View, type Frame, type OpenEdits, type Timeline } from '../timeline/index.js'
import { ThreadWriter } from '../thread/index.js'
import { Queries } from './query.js'

/** What a snapshot needs to know beside its tree. */
export type Edition = Readonly<{
  dialect: Dialect
  specVersion: string
  writer: ThreadWriter
  queries: Queries
  /** What an imported document said beside its tree, for the snapshot it gave. */
  extrasAt: (cycle: number) => ReadonlyMap<string, JsonValue> | undefined
}>

/** What a snapshot reads from. */
export type Source = Readonly<{ view: View; edition: Edition }>

/** A context as its snapshots see it; the context holds it, and kept snapshots do so only weakly. */
export class Home {
  readonly timeline: Timeline
  readonly edition: Edition
  #weak: WeakRef<Home> | undefined

  constructor(timeline: Timeline, edition: Edition) {
    this.timeline = timeline
    this.edition = edition
  }

  get weak(): WeakRef<Home> {
    return (this.#weak ??= new WeakRef(this))
  }
}

/** The source of a snapshot that a program keeps: its tree, and its context while there is one that still knows it. */
export class KeptSource implements Source {
  readonly #home: WeakRef<Home>
  readonly #frame: Frame
  readonly #receipt: Receipt
  readonly #edits: OpenEdits | undefined
  readonly #common: Pick<Edition, 'dialect' | 'specVersion'>
  readonly #extras: ReadonlyMap<string, JsonValue> | undefined
  /** Both are made when first needed, for a tree whose context is gone or knows it no more. */
  #ownView: View | undefined
  #ownEdition: Edition | undefined

  constructor(view: View, home: Home) {
    const { dialect, specVersion, extrasAt } = home.edition
    this.#home = home.weak
    this.#frame = view.bare
    this.#receipt = view.receipt
    this.#edits = view.edits
    this.#common = { dialect, specVersion }
    this.#extras = extrasAt(view.cycle)
  }

  get view(): View {
    const home = this.#home.deref()
    const view = home && View.again(this.#frame, this.#receipt, home.timeline, this.#edits)
    return view ?? (this.#ownView ??= View.alone(this.#frame, this.#receipt))
  }

  get edition(): Edition {
    return this.#home.deref()?.edition ?? (this.#ownEdition ??= this.#makeEdition())
  }

  #makeEdition(): Edition {
    const { dialect } = this.#common
    const here = (): View => this.view
    const queries = new Queries({
      dialect,
      rangesAreDiffs: true,
      view: here,
      still: here,
      newest: here,
      viewAt: here,
      bounds: () => undefined,
      warn: () => {},
    })
    return { ...this.#common, writer: new ThreadWriter(dialect), queries, extrasAt: () => this.#extras }
  }
}
