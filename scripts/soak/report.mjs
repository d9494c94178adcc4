// Prints a run: a line for every point of the curve, and a verdict. With --json, all of it as one value at the end.

/**
 * @typedef {import('./run.mjs').Point} Point
 * @typedef {Awaited<ReturnType<typeof import('./run.mjs').soak>>} Result
 */

/** @param {{ json: boolean }} options */
export function report({ json }) {
  let commits = 0
  // With --json the lines are progress, not the answer.
  const say = json ? console.error : console.log
  return {
    say,
    commits: () => commits,
    /** @param {Point} point */
    point(point) {
      if (commits === 0) say(row(['commits', 'heap MB', 'nodes', 'snapshots', 'commits/s']))
      commits = point.commits
      const { heap, nodes, snapshots, perSecond } = point
      say(row([count(commits), heap.toFixed(2), count(nodes), count(snapshots), count(Math.round(perSecond))]))
    },
    /** @param {Result & { history: number, seconds: number, laws: { ok: boolean } | undefined, fuzz: { ok: boolean } | undefined, store: { ok: boolean } | undefined }} result */
    end(result) {
      if (json) console.log(JSON.stringify(result))
      else console.log(`\n${sentenceOf(result)}`)
    },
  }
}

/** @param {Result & { seconds: number }} result */
function sentenceOf({ commits, seed, verdict, edits, seconds }) {
  const refused = Object.entries(edits).filter(([name]) => name.includes(' '))
  const sum = (/** @type {readonly (readonly [string, number])[]} */ list) => list.reduce((all, [, n]) => all + n, 0)
  const did = `${count(sum(Object.entries(edits)))} edits of history (${count(sum(refused))} refused)`
  const run = `soak: ${count(commits)} commits and ${did} in ${Math.round(seconds)} s, seed ${seed}. ${held(commits)}`
  if (verdict === undefined) return `${run}\nsoak: stopped too early for a verdict on memory.`
  const { flat, level, growth, noise, allowed } = verdict
  const slope = `${growth.toFixed(2)} ± ${noise.toFixed(2)} MB a million commits over the second half`
  return `${run}\nsoak: memory is ${flat ? 'flat' : 'NOT flat'}: ${level.toFixed(1)} MB, ${slope} (at most ${allowed.toFixed(2)}).`
}

/** @param {number} commits */
function held(commits) {
  return commits === 0 ? 'There was no time for a commit, so nothing was checked.' : 'Every check held.'
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString('en')
}

/** @param {readonly string[]} cells */
function row(cells) {
  return cells.map((cell) => cell.padStart(11)).join('')
}
