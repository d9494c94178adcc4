export {
  outlineOf,
  outlineText,
  type OutlineLine,
  type OutlineOptions,
  type OutlineSpan,
  type OutlineStyle,
} from './outline.js'
