// `pact-context/adapters`: everything that an adapter of your own is made of. The adapters of this package are made of the same.

export {
  defineAdapter,
  type AdapterDefinition,
  type AdapterOptions,
  type DefinedAdapter,
  type From,
  type Receive,
  type To,
} from './define-adapter.js'
export type { RequestOptions } from './adapter.js'
export type { ThoughtFormat } from './bound.js'
export type { HeldFormat, OnlyNewOptions } from './held.js'
export { sendNew } from './send-new.js'
export type { BlocksOptions } from './message-options.js'
export type { MessageSpec, PartHeader, PartSpec } from './import-messages.js'
export type { Form } from './neutral.js'
export type {
  CallPart,
  GonePart,
  MediaPart,
  Message,
  OtherPart,
  Output,
  OutputPart,
  Part,
  PartBase,
  Place,
  ReadPart,
  ReasoningPart,
  ResultPart,
  TextPart,
} from './neutral.js'
export {
  callPart,
  callRow,
  keyedReader,
  mediaRow,
  otherRow,
  resultRow,
  textRow,
  thoughtRow,
  typedReader,
  type PartOrigin,
  type PartReader,
  type PartRow,
  type ReadMedia,
} from './part-reader.js'
export { inOrder, plainJson, textOf, type PlainObject, type PlainValue } from './plain-json.js'
export type { Reply, ReplyOptions } from './receive.js'
export type { Repair, RepairCode } from './request-writer.js'
export { usageOf, type ReplyFacts, type ReplyTable, type Usage } from './reported.js'
export type { RequestFacts, SourceEntry } from './request.js'
export type { Changes, Head, RequestFormat, Start } from './request-format.js'
export type { OwnText, RequestWriter } from './request-writer.js'
export type { Speaker } from './neutral.js'
export { elementSpec, formOf, messageSpec } from './specs.js'
export type { Tie, TieOf } from './steps.js'
export type { CamePart, KnowsPart } from './wire.js'
export type { ThinkingOptions, UnknownOptions } from './message-options.js'
export { heldPart, inputObject, isBare, toolName, validName } from './write-part.js'
