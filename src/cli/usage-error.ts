/** What a user got wrong before anything was done: the words of the command line, or a file that they name. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
  /** Whether the page of the command would help, which says nothing about files. */
  readonly isOfWords: boolean

  constructor(
    message: string,
    { isOfWords = true, ...options }: ErrorOptions & Readonly<{ isOfWords?: boolean }> = {},
  ) {
    super(message, options)
    this.isOfWords = isOfWords
  }
}
