export { main, type MainOptions } from './main.js'
export { COMMANDS } from './table.js'
export { helpDocument } from './help-document.js'
export type { Streams } from './terminal.js'
