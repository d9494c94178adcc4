export { encodeAscii, ThreadWriter, threadItems, type ThreadItem } from './thread.js'
