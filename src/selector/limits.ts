// The sizes beyond which a selector is refused with E_SELECTOR_TOO_LARGE, before anything recurses into it.

export const SELECTOR_LIMITS: Readonly<Record<'text' | 'groups' | 'nesting' | 'conditions' | 'visits', number>> = {
  /** UTF-16 units. */
  text: 16_384,
  /** Groups, members of unions and coordinates of sets, in all. */
  groups: 256,
  /** Parentheses inside parentheses. */
  nesting: 32,
  /** Conditions of one step, each type name and each test counted, `*` not. */
  conditions: 256,
  /** Nodes that one call looks at, unless it says otherwise. */
  visits: 50_000_000,
}
