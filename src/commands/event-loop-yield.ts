/** Lets other work run, and the signal: an aborted one then ends the work. */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  signal?.throwIfAborted()
}
