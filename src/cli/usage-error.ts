/** A mistake in the command line, or a file in it that cannot be read; nothing was done. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
  /** The help page of the command is useful: the mistake is not in a file. */
  readonly isOfWords: boolean

  constructor(
    message: string,
    { isOfWords = true, ...options }: ErrorOptions & Readonly<{ isOfWords?: boolean }> = {},
  ) {
    super(message, options)
    this.isOfWords = isOfWords
  }
}
