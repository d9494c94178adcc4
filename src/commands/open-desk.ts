// The two kinds of desk there are.

import type { Context } from '../context/index.js'
import type { Store } from '../store/index.js'
import { ContextDesk } from './context-desk.js'
import type { Desk, DeskOptions } from './desk.js'
import { StoreDesk } from './store-desk.js'

/** A desk over a store. */
export function storeDesk(store: Store, options: DeskOptions = {}): Desk {
  return new StoreDesk(store, options)
}

/** A desk over one context in memory, which its program goes on using. */
export function contextDesk(ctx: Context): Desk {
  return new ContextDesk(ctx)
}
