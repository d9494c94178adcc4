// Commands over HTTP, the door of the room and the subpath `pact-context/server`.

export { inspect, type InspectOptions } from './inspect.js'
export type { WorkLimits } from './limits.js'
export { openApi } from './openapi.js'
export {
  createServer,
  type Listening,
  type ListenOptions,
  type LogEntry,
  type Server,
  type ServerLimits,
  type ServerOptions,
} from './server.js'
