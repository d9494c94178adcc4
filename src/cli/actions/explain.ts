import { explainNode } from '../../commands/index.js'
import { lens, word } from '../given.js'
import type { Action } from '../spec.js'
import { spelled } from '../spelled.js'
import type { TextLine } from '../terminal.js'

export const run: Action = async (call) => {
  const { lens: at } = lens(call, 2)
  const input = { id: word(call, 0), node: word(call, 1), ...(at === undefined ? {} : { at }) }
  const answer = await explainNode(await call.desk(), input)
  await call.answer(answer, () => answer.words.split('\n').map((line): TextLine => [['plain', spelled(line)]]))
}
