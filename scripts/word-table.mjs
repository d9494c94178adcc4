// Prints the table of src/diff/word-table.ts: the code points that make up words. Needs a Node with Unicode 17.0.
//
//   node scripts/word-table.mjs

const WORD = /^[\p{L}\p{M}\p{N}_]$/u
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

if (process.versions.unicode !== '17.0') throw new Error(`This Node has Unicode ${process.versions.unicode}, not 17.0.`)

/** Where words begin and end in turn, each as the distance from the one before. */
const steps = []
let last = 0
let isIn = false
for (let point = 0; point <= 0x110000; point++) {
  const character = point > 0x10ffff ? ' ' : String.fromCodePoint(point)
  const isWord = WORD.test(character) && !UNSPACED.test(character)
  if (isWord === isIn) continue
  steps.push((point - last).toString(36))
  last = point
  isIn = isWord
}
let line = ''
for (const step of steps) {
  if (line.length + step.length > 110) {
    console.log(`  '${line}' +`)
    line = ''
  }
  line += `${step} `
}
console.log(`  '${line.trimEnd()}'`)
