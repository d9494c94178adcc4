export type { ContractCase, ContractOptions, Place } from './contract.js'
export { rowsContract } from './rows-contract.js'
export { storeContract } from './store-contract.js'
