export { encodeAscii, threadChunks, threadItems, threadPlace, type ThreadItem, type ThreadPlace } from './thread.js'
