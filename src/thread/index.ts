export { commonPrefix, joinChunks, rangesOf, type Parting } from './common-prefix.js'
export {
  checkRenderer,
  RENDERER,
  type Breakpoint,
  type ByteRange,
  type Chunk,
  type HasRenderer,
  type RenderedBytes,
  type Renderer,
  type RendersRequests,
} from './rendered-bytes.js'
export {
  encodeAscii,
  threadChunks,
  threadItems,
  threadPlace,
  threadRendered,
  type ThreadItem,
  type ThreadPlace,
} from './thread.js'
