export { FORMATS, type Format } from './conversation/names.js'
