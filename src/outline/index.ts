export {
  outlineOf,
  outlineText,
  type OutlineLine,
  type OutlineOptions,
  type OutlineSpan,
  type OutlineStyle,
} from './outline.js'
export { childRows } from './row-extent.js'
export { RowWindow, segmentsOf, type Row } from './rows.js'
