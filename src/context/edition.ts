// The properties that all snapshots of a context share. A snapshot that a program keeps holds its context weakly: it keeps its own tree
// alive, not the past and the future of its context.

import type { Dialect, JsonValue, Receipt } from '../core/index.js'
import { erasedEdits, Frame, View, type OpenEdits, type Timeline } from '../timeline/index.js'
import type { TreeTokens } from '../reports/index.js'
import type { Family, Holder } from './family.js'
import type { RequestBudget } from './over-budget.js'
import { Queries } from './query.js'

/** Everything that a snapshot needs besides its tree. */
export type Edition = Readonly<{
  dialect: Dialect
  specVersion: string
  queries: Queries
  /** Counts tokens as the context does, whether it is still there or not. */
  tokens: TreeTokens
  /** Measures requests, if the context has a limit for them and is still there. */
  budget?: RequestBudget | undefined
  /** The fields of an imported document outside its tree, for the snapshot that it gave. */
  extrasAt: (cycle: number) => ReadonlyMap<string, JsonValue> | undefined
}>

/** The input of a snapshot's reads. */
export type Source = Readonly<{ view: View; edition: Edition }>

/** A context as its snapshots see it; the context holds it, and kept snapshots do so only weakly. */
export class Home implements Holder {
  readonly timeline: Timeline
  readonly edition: Edition
  readonly family: Family
  /** Erases the content of nodes everywhere in this context. */
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

/** The source of a snapshot that a program keeps: its tree, and its context as long as that exists and knows the tree. */
export class KeptSource implements Source {
  readonly #home: WeakRef<Home>
  /** Holds no context, but knows the erasures (D56). */
  readonly #family: Family
  #timesForgotten: number
  #frame: Frame
  readonly #receipt: Receipt
  #edits: OpenEdits | undefined
  readonly #common: Pick<Edition, 'dialect' | 'specVersion' | 'tokens'>
  readonly #extras: ReadonlyMap<string, JsonValue> | undefined
  /** Both are made on demand, for a tree whose context is gone or has dropped it. */
  #ownView: View | undefined
  #ownEdition: Edition | undefined

  constructor(view: View, home: Home) {
    const { dialect, specVersion, tokens, extrasAt } = home.edition
    this.#home = home.weak
    this.#family = home.family
    this.#timesForgotten = home.family.times
    this.#frame = view.bare
    this.#receipt = view.receipt
    this.#edits = view.edits
    this.#common = { dialect, specVersion, tokens }
    this.#extras = extrasAt(view.cycle)
  }

  get view(): View {
    if (this.#timesForgotten !== this.#family.times) this.#catchUp()
    const home = this.#home.deref()
    const view = home && View.again(this.#frame, this.#receipt, home.timeline, this.#edits)
    return view ?? (this.#ownView ??= View.alone(this.#frame, this.#receipt))
  }

  /** Applies the erasures since the last look. */
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
      of: here,
      still: here,
      at: here,
      get newest() {
        return here()
      },
      bounds: undefined,
      warn: () => {},
    })
    return { ...this.#common, queries, extrasAt: () => this.#extras }
  }
}
