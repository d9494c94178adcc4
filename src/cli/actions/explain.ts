import { explainNode } from '../../commands/index.js'
import type { Action } from '../spec.js'
import { spelled } from '../spelled.js'
import { twin } from './twin.js'

export const run: Action = twin('explain', ['id', 'node', 'at'], explainNode, ({ words }) =>
  words.split('\n').map((line) => [['plain', spelled(line)]]),
)
