export { encodeAscii, ThreadWriter, threadItems, threadPlace, type ThreadItem, type ThreadPlace } from './thread.js'
