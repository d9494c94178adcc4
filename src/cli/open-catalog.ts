// The list of contexts that an address names. A file of its own: it needs little, and what lists is to start fast.

import { openCatalog, type Catalog } from '../store/index.js'
import { storeAt, type StoreUse } from './store-at.js'

export function catalogAt(address: string, use: StoreUse): Promise<Catalog> {
  return storeAt(address, use, (each, options) => openCatalog(each, options))
}
