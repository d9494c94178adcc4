// Shared code of the sessions of agent frameworks.

export { NEWEST, Writer } from './writer.js'
