export { addToHead, addToSystem, type Bench } from './add.js'
export { checkHeader, NO_HEADER } from './header.js'
export type { ContentInput, CustomName, Header, NodeSpec } from './header.js'
