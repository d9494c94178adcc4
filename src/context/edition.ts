// What every snapshot of a context has in common, and how long a snapshot may ask for it: as long as the context is there. A
// program may keep a snapshot for good, and then keeps its one tree, not the past and the future of its context (G2).

import type { Dialect, JsonValue, Receipt } from '../core/index.js'
import { erasedEdits, Frame, View, type OpenEdits, type Timeline } from '../timeline/index.js'
import type { Family, Holder } from './family.js'
import { Queries } from './query.js'
import type { RenderedCounter } from './rendered-tokens.js'
import type { TokenReader } from './token-report.js'

/** What a snapshot needs to know beside its tree. */
export type Edition = Readonly<{
  dialect: Dialect
  specVersion: string
  queries: Queries
  /** Counts tokens as the context does, whether it is still there or not. */
  tokens: TokenReader
  /** The same of what a rendering says. */
  count: RenderedCounter
  /** What an imported document said beside its tree, for the snapshot it gave. */
  extrasAt: (cycle: number) => ReadonlyMap<string, JsonValue> | undefined
}>

/** What a snapshot reads from. */
export type Source = Readonly<{ view: View; edition: Edition }>

/** A context as its snapshots see it; the context holds it, and kept snapshots do so only weakly. */
export class Home implements Holder {
  readonly timeline: Timeline
  readonly edition: Edition
  readonly family: Family
  /** Takes out what nodes said, wherever this context has it. */
  readonly erase: Holder['erase']
  readonly weak: WeakRef<Home>

  constructor(timeline: Timeline, edition: Edition, family: Family, erase: Holder['erase']) {
    this.timeline = timeline
    this.edition = edition
    this.family = family
    this.erase = erase
    this.weak = new WeakRef(this)
    family.add(this.weak)
  }
}

/** The source of a snapshot that a program keeps: its tree, and its context while there is one that still knows it. */
export class KeptSource implements Source {
  readonly #home: WeakRef<Home>
  /** Holds no context, but knows what was forgotten (D56). */
  readonly #family: Family
  #timesForgotten: number
  #frame: Frame
  readonly #receipt: Receipt
  #edits: OpenEdits | undefined
  readonly #common: Pick<Edition, 'dialect' | 'specVersion' | 'tokens' | 'count'>
  readonly #extras: ReadonlyMap<string, JsonValue> | undefined
  /** Both are made when first needed, for a tree whose context is gone or knows it no more. */
  #ownView: View | undefined
  #ownEdition: Edition | undefined

  constructor(view: View, home: Home) {
    const { dialect, specVersion, tokens, count, extrasAt } = home.edition
    this.#home = home.weak
    this.#family = home.family
    this.#timesForgotten = home.family.times
    this.#frame = view.bare
    this.#receipt = view.receipt
    this.#edits = view.edits
    this.#common = { dialect, specVersion, tokens, count }
    this.#extras = extrasAt(view.cycle)
  }

  get view(): View {
    if (this.#timesForgotten !== this.#family.times) this.#catchUp()
    const home = this.#home.deref()
    const view = home && View.again(this.#frame, this.#receipt, home.timeline, this.#edits)
    return view ?? (this.#ownView ??= View.alone(this.#frame, this.#receipt))
  }

  /** Forgets what the contexts have forgotten meanwhile. */
  #catchUp(): void {
    for (const erasing of this.#family.since(this.#timesForgotten)) {
      const { tree, cycle, isWorking } = this.#frame
      this.#frame = new Frame(erasing.tree(tree), cycle, isWorking)
      this.#edits &&= erasedEdits(this.#edits, erasing)
    }
    this.#timesForgotten = this.#family.times
    this.#ownView = undefined
    this.#ownEdition = undefined
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
    return { ...this.#common, queries, extrasAt: () => this.#extras }
  }
}
