// Commands over HTTP, the door of the room and the subpath `pact-context/server`.

export { openApi } from '../api/index.js'
export type { WorkLimits } from '../commands/index.js'
export {
  inspect,
  type InspectOptions,
  createServer,
  type Listening,
  type ListenOptions,
  type LogEntry,
  type Server,
  type ServerLimits,
  type ServerOptions,
} from './server.js'
