// A fact worth knowing that is no error. A context keeps its warnings and passes them to `onWarning`.

export type Warning = Readonly<{ message: string; details: Readonly<Record<string, unknown>> }>
