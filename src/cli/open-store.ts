// The store that an address names.

import { openStore, type Store } from '../store/index.js'
import { storeAt, type StoreUse } from './store-at.js'

export function openAt(address: string, use: StoreUse): Promise<Store> {
  return storeAt(address, use, (each, options) => openStore(each, options))
}
