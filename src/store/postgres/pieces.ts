// A statement with many rows is sent in pieces: servers refuse what is too large, and nobody waits long for one of them.

/** How many rows, and how many bytes, one statement takes. */
const ROWS = 500
const BYTES = 4 * 1024 * 1024

/** The same in the same order, a piece of it for each statement. */
export function inPieces<T>(all: readonly T[], size: (each: T) => number): readonly (readonly T[])[] {
  const pieces: T[][] = []
  let bytes = Infinity
  for (const each of all) {
    bytes += size(each)
    if (bytes > BYTES || pieces.at(-1)!.length === ROWS) {
      pieces.push([])
      bytes = size(each)
    }
    pieces.at(-1)!.push(each)
  }
  return pieces
}
