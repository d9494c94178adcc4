// The table of endpoints and what follows from it. It runs in a browser.

import * as field from './fields.js'

export type { Endpoint } from './endpoint.js'
export { ENDPOINTS, type EndpointName } from './endpoints.js'
export { Http, type ClientOptions } from './http.js'
export { openApi } from './openapi.js'
export { requestOf, type Answer, type HttpRequest, type Input, type RemoteName } from './request.js'
export { paramsOf, ROUTES, type Route, routeTable } from './routes.js'
export {
  checkInput,
  json,
  objectJson,
  oneOf,
  text,
  whole,
  type Definitions,
  type JsonSchema,
  type Schema,
  type Shape,
} from './schema.js'
export type {
  AttemptRecord,
  Bin,
  Breakpoint,
  CauseCounts,
  ChangeRow,
  Changes,
  Column,
  Committed,
  ContextList,
  ContextSummary,
  CycleAnswer,
  CycleLine,
  DetailedDiffAnswer,
  Dialect,
  DiffAnswer,
  Difference,
  DiffOptions,
  Figures,
  FormatName,
  Imported,
  ImportFormat,
  JsonObject,
  JsonValue,
  Lens,
  Life,
  LintAnswer,
  NameCount,
  Names,
  NodeAnswer,
  Operation,
  PageInput,
  PlainDiffAnswer,
  PrefixAnswer,
  Reading,
  Receipt,
  Rendered,
  RenderedFormat,
  Selected,
  SelectOptions,
  Send,
  Timeline,
  Tree,
  TreeRow,
  WatchedEvent,
} from './types.js'

export { summaryContent } from '../core/index.js'

/** The fields of all inputs. */
export { field }
