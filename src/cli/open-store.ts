// The store that an address names.

import { openStore, type Store } from '../store/index.js'
import { storeAt } from './store-at.js'

export function openAt(address: string, mayMake: boolean): Promise<Store> {
  return storeAt(address, mayMake, (each) => openStore(each))
}
