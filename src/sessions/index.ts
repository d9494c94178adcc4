// What the sessions of agent frameworks share.

export { NEWEST, Writer } from './writer.js'
