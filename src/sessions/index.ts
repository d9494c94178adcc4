// Shared code of the integrations with agent frameworks.

export { OpenContexts, Remembered } from './contexts.js'
