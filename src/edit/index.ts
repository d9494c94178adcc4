export { addToHead, addToSystem, type Bench } from './add.js'
export type { ContentInput, CustomName, Header, NodeSpec } from './header.js'
