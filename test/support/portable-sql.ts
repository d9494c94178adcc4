// Statements that PostgreSQL takes, and Citus, YugabyteDB or CockroachDB refuse or do across shards. Each rule is a sentence;
// the databases named behind it are those that it is for.

type Rule = Readonly<{ breaks: (sql: string) => boolean; says: string }>

const word = (pattern: string): ((sql: string) => boolean) => {
  const found = new RegExp(String.raw`\b(?:${pattern})\b`, 'i')
  return (sql) => found.test(sql)
}

const ANYWHERE: readonly Rule[] = [
  {
    breaks: word('serial|bigserial|smallserial|sequence|nextval|currval|lastval|setval|identity'),
    says: 'a sequence is one place that all shards ask (Citus, YugabyteDB, CockroachDB)',
  },
  { breaks: word('trigger|rule|procedure|function|plpgsql'), says: 'code in the database (Citus, CockroachDB)' },
  { breaks: word(String.raw`pg_\w*advisory\w*`), says: 'an advisory lock is none there (Citus, CockroachDB)' },
  { breaks: word('listen|notify|unlisten|pg_notify'), says: 'NOTIFY is missing or early (CockroachDB, YugabyteDB)' },
  { breaks: word('deferrable|deferred|constraints'), says: 'a deferrable constraint (Citus, CockroachDB)' },
  { breaks: word('exclude|gist|gin|spgist|brin|hash index'), says: 'an exclusion constraint or its index (all three)' },
  { breaks: word('references|foreign'), says: 'a foreign key reaches beyond its shard (Citus)' },
  { breaks: word('generated|default'), says: 'a value that the database makes up (Citus, across shards)' },
  {
    breaks: word('now|current_timestamp|current_date|localtime|localtimestamp|clock_timestamp|statement_timestamp'),
    says: 'the clock of a machine, of which there are many',
  },
  { breaks: word('random|gen_random_uuid|uuid_generate_v4|md5'), says: 'chance, which a shard asks by itself' },
  { breaks: word('ctid|xmin|xmax|cmin|oid|tableoid|regclass'), says: 'a column of the system (CockroachDB, Citus)' },
  { breaks: word('lock table|savepoint|declare|cursor|copy'), says: 'a table lock, savepoint, cursor or copy' },
  { breaks: word('temp|temporary|unlogged|inherits|tablespace'), says: 'a kind of table that shards do not have' },
  {
    breaks: word('for share|for key share|for no key update|skip locked|nowait'),
    says: 'a lock other than FOR UPDATE',
  },
  { breaks: word('merge|lateral|recursive|tablesample|grouping|window|over'), says: 'a query that shards do not do' },
  {
    breaks: word('text|varchar|char|json|jsonb|timestamp|timestamptz|numeric|citext|name'),
    says: 'a type that compares by collation, or is kept otherwise than it came',
  },
  { breaks: (sql) => /'/.test(sql), says: 'a text in a statement, where a parameter belongs' },
  { breaks: (sql) => /;/.test(sql), says: 'two statements in one' },
]

/** Why a statement of the tables cannot be used everywhere; empty where it can. */
export function schemaRefusals(sql: string): readonly string[] {
  const found = refusals(sql)
  const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(([\s\S]*)\)$/.exec(sql.trim())
  if (table !== null) return [...found, ...tableRefusals(table[1]!, table[2]!)]
  if (/^ALTER TABLE pact_\w+ ADD COLUMN \w+ (?:bytea|integer)$/.test(sql.trim())) return found
  const index = /^CREATE INDEX \w+ ON (\w+) \(([^)]*)\)$/.exec(sql.trim())
  if (index === null) return [...found, 'neither a table nor a plain index']
  if (!/^tenant, family(?:,|$)/.test(index[2]!)) found.push('an index that does not begin with tenant and family')
  return found
}

function tableRefusals(name: string, body: string): readonly string[] {
  const found: string[] = []
  const columns = body.split(/,(?![^(]*\))/).map((each) => each.trim().replace(/\s+/g, ' '))
  for (const column of columns.slice(0, -1)) {
    if (!/^\w+ (?:bytea|integer)(?: NOT NULL)?$/.test(column) && name !== META)
      found.push(`the column "${column}" is neither bytes nor an integer`)
  }
  const [, key = ''] = /PRIMARY KEY \(([^)]*)\)/.exec(body) ?? []
  if (name === META) return found
  // Names are found by id before anybody knows the family.
  if (!key.startsWith(name === NAMES ? 'tenant, id' : 'tenant, family'))
    found.push(`the key of ${name} does not begin with tenant and family`)
  if (/\bUNIQUE\b/i.test(body)) found.push('a second unique key has to contain the distribution column (Citus)')
  return found
}

const NAMES = 'pact_names'
const META = 'pact_meta'

/** Why a statement cannot be used everywhere, or could meet the rows of another tenant; empty where neither is so. */
export function statementRefusals(sql: string): readonly string[] {
  const found = refusals(sql)
  const tables = [...sql.matchAll(/\bpact_\w+/g)].map(([name]) => name)
  if (tables.length === 0) found.push('a statement about no table of ours')
  if (tables.includes(NAMES) && tables.some((name) => name !== NAMES))
    found.push('names are on another shard than contexts, and cannot be joined with them (Citus)')
  for (const [, name, alias] of sql.matchAll(/\b(?:FROM|JOIN|UPDATE) (pact_\w+)(?: (?!WHERE|SET|ORDER)(\w+))?/g)) {
    const column = alias === undefined ? String.raw`(?<!\.)tenant` : String.raw`${alias}\.tenant`
    if (!new RegExp(String.raw`${column} = (?:\$1|\w+\.tenant)`).test(sql))
      found.push(`${name} is asked for all tenants`)
    if (name === NAMES) continue
    const family = alias === undefined ? String.raw`(?<!\.)family` : String.raw`${alias}\.family`
    const isPinned = new RegExp(String.raw`${family} = (?:\$2|ANY\(\$2|\w+\.family)`).test(sql)
    // A statement over all of a tenant only reads.
    if (!isPinned && (isWriting(sql) || !/NOT EXISTS/.test(sql))) found.push(`${name} is asked on all shards`)
  }
  for (const [, name, columns] of sql.matchAll(/INSERT INTO (pact_\w+)\s*\(([^)]*)\)/g)) {
    if (!/^tenant, (?:family|id)\b/.test(columns!)) found.push(`a row of ${name} without its tenant in front`)
    if (!/(?:VALUES \(|SELECT )(?:\$1|\w\.tenant|tenant)\b/.test(sql)) found.push(`a row of ${name} for another tenant`)
  }
  for (const [, columns] of sql.matchAll(/\bSELECT ((?:(?!\bFROM\b|\bSELECT\b)[\s\S])*)\bFROM\b/g)) {
    if (/\$\d+(?!\d|::)/.test(columns!)) found.push('a parameter among columns has no type of its own (CockroachDB)')
  }
  if (isWriting(sql) && !/\$1\b/.test(sql)) found.push('a statement that writes for no tenant')
  if (/ON CONFLICT/.test(sql) && !/ON CONFLICT \(tenant, (?:family|id)\b/.test(sql))
    found.push('a conflict is with a whole key, and nothing less (Citus, CockroachDB)')
  if (/RETURNING \*/.test(sql) || /SELECT \*/.test(sql)) found.push('columns that a later version may add')
  return found
}

/** Why Citus does not send a statement that writes to one shard; empty where it does. It pulls such rows to the coordinator and commits in two phases. */
export function routingRefusals(sql: string): readonly string[] {
  const found: string[] = []
  const inserts = [...sql.matchAll(/\bINSERT INTO pact_\w+\s*(?:\([^)]*\))?\s*(\w+)/gi)]
  if (inserts.length > 0 && /^\s*WITH\b/i.test(sql)) found.push('an INSERT behind a WITH (Citus)')
  if (inserts.some(([, next]) => next!.toUpperCase() !== 'VALUES'))
    found.push('an INSERT of rows that a SELECT gives (Citus)')
  const written = new Set(
    [...sql.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM) (pact_\w+)/gi)].map(([, name]) => name),
  )
  if (written.size > 1) found.push('a statement that writes two tables (Citus)')
  return found
}

function isWriting(sql: string): boolean {
  return /\b(?:INSERT|UPDATE pact|DELETE)\b/.test(sql)
}

function refusals(sql: string): string[] {
  return ANYWHERE.filter(({ breaks }) => breaks(sql)).map(({ says }) => says)
}
