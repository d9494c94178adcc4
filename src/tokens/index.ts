// Token counters, the door of the room and the subpath `pact-context/tokens`.

export type { CountTokens } from '../core/index.js'
export { createCounter, type CounterOptions, type TextCounter } from './counter.js'
export { createEstimate, estimate, type BytesPerToken, type EstimateOptions } from './estimate.js'
export { calibrated, type Calibrated, type CalibratedOptions, type CountedAttempt, type Sample } from './calibrated.js'
export { overheadFor, OVERHEADS, type ImageTokens, type Overhead } from './overheads.js'
export { cl100k, o200k } from './tokenizer.js'
export { readUsage, type TokenUsage } from './usage.js'
