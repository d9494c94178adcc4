// Names of the language, for checks and suggestions.

/** The controls that mean something here. */
export const CONTROLS: readonly string[] = ['order', 'limit', 'skip', 'first', 'unique', 'mode']

/** Roles and kinds that are often written as types. */
export const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool', 'system', 'developer'])
export const KINDS: ReadonlySet<string> = new Set(['call', 'result', 'text', 'reasoning'])

/** The attributes that the documents name; nodes may have others, with a prefix or a namespace. */
export const ATTRIBUTES: readonly string[] = [
  'id',
  'offset',
  'ttl',
  'cad',
  'priority',
  'cycle',
  'born_turn',
  'age',
  'depth',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
  'role',
  'kind',
  'key',
  'tag',
  'tags',
  'content',
  'content_hash',
  'refs',
  'supersedes',
  'removable',
  'pinned',
  'provenance',
  'type',
  'ephemeral',
  'sticky',
]
