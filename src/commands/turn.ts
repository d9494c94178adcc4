/** Lets whatever else is waiting have its turn, a signal too, which then ends the work. */
export async function turn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  signal?.throwIfAborted()
}
