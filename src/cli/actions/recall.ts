import { recallResult } from '../../commands/index.js'
import { twin } from '../endpoint-input.js'
import type { Action } from '../spec.js'
import { spelled } from '../terminal.js'

export const recall: Action = twin('recall', ['id', 'node'], recallResult, ({ content }) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2)
  return text.split('\n').map((line) => [['plain', spelled(line)]])
})
