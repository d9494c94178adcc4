// Something worth knowing that is no error: a context keeps these and tells its `onWarning`.

export type Warning = Readonly<{ message: string; details: Readonly<Record<string, unknown>> }>
