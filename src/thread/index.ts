export { commonPrefix, rangesOf, type Parting } from './common-prefix.js'
export {
  byteLengthOf,
  checkRenderer,
  encodeTexts,
  RENDERER,
  type Breakpoint,
  type ByteRange,
  type Chunk,
  type HasRenderer,
  type RenderedBytes,
  type Renderer,
  type RendersRequests,
} from './rendered-bytes.js'
export { threadChunks, threadItems, threadPlace, threadRendered, type ThreadItem, type ThreadPlace } from './thread.js'
