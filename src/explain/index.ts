export { explain, redactionOf } from './explain.js'
export type { ExplainedPlace, Explanation } from './explanation.js'
export { lifeOf, type Life, type LifeEvent } from './life.js'
