export { commonPrefix, rangesOf, type Parting } from './common-prefix.js'
export {
  addRenderer,
  byteLengthOf,
  checkRenderer,
  encodeTexts,
  formOfParams,
  RENDERER,
  rendererNamed,
  renderersLoaded,
  type Breakpoint,
  type ByteRange,
  type CallPrompt,
  type Chunk,
  type HasRenderer,
  type ParamsForm,
  type RenderedBytes,
  type Renderer,
  type HasReply,
  type RendersRequests,
  type ReplyTo,
  type SentCall,
} from './rendered-bytes.js'
export { threadChunks, threadItems, threadPlace, threadRendered, type ThreadItem, type ThreadPlace } from './thread.js'
