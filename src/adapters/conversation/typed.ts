// Types of replies: what the objects of each client have in common, and no reply of another provider has. A client's objects are interfaces, which
// have no other keys for the compiler; replies that are written down or come from JSON may have any.

/** With other keys of any kind. */
export type Loose<Known> = Known | (Known & Readonly<Record<string, unknown>>)

/** A part or an item that names its type. */
export type Typed = Loose<Readonly<{ type: string; toolCallId?: never }>>
