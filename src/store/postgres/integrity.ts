// Integrity checks over all tables of a tenant: rows of deleted contexts, contexts without their newest row, and names
// and contexts that do not match. Names are on other shards than contexts, so these are compared here.

import { textOf, type Cells } from '../sql/query.js'
import { keyOf } from './cells.js'
import type { Connections } from './connections.js'
import { LEFT } from './statements.js'

/** Rows per query. */
const PAGE = 500
/** Problems reported per kind. */
const MOST = 5

export async function problemsIn(db: Connections, tenant: Uint8Array): Promise<readonly string[]> {
  const found: string[] = []
  for (const [table, text] of LEFT) {
    for (const { family, context } of (await db.reading((run) => run(text, tenant))).rows) {
      const key = keyOf(family as Uint8Array, (context ?? family) as Uint8Array)
      found.push(`The table pact_${table} has rows of a context, ${key}, that is not there.`)
    }
  }
  for (const { id } of await db.rows('headless', tenant)) {
    found.push(`The context ${textOf(id as Uint8Array)} has no newest row.`)
  }
  return [...found, ...(await nameless(db, tenant)), ...(await misnamed(db, tenant))]
}

/** Contexts without a name. */
async function nameless(db: Connections, tenant: Uint8Array): Promise<readonly string[]> {
  const found: string[] = []
  let after: readonly [Uint8Array, Uint8Array] = [NONE, NONE]
  for (;;) {
    const page = await db.rows('everyContext', tenant, ...after, PAGE)
    const names = await db.rows(
      'namesOf',
      tenant,
      page.map(({ id }) => id as Uint8Array),
    )
    const known = new Set(names.map(keyIn))
    for (const cells of page.filter((each) => !known.has(keyIn(each)))) {
      // The context may have been created or deleted between the two queries.
      const [name] = await db.rows('name', tenant, cells['id'] as Uint8Array)
      if (name !== undefined && keyIn(name) === keyIn(cells)) continue
      if ((await contextOf(db, tenant, cells)) === undefined) continue
      found.push(`The context ${textOf(cells['id'] as Uint8Array)}, ${keyIn(cells)}, is not found by its name.`)
    }
    const last = page.at(-1)
    if (page.length < PAGE || found.length >= MOST) return found.slice(0, MOST)
    after = [last!['family'] as Uint8Array, last!['context'] as Uint8Array]
  }
}

/** Names of missing contexts, or of contexts with another id. */
async function misnamed(db: Connections, tenant: Uint8Array): Promise<readonly string[]> {
  const found: string[] = []
  let after: Uint8Array = NONE
  for (;;) {
    const page = await db.rows('names', tenant, after, PAGE)
    const [families, contexts] = ['family', 'context'].map((name) => page.map((each) => each[name] as Uint8Array))
    const rows = page.length === 0 ? [] : await db.rows('contexts', tenant, families!, contexts!)
    const ids = new Map(rows.map((each) => [keyIn(each), textOf(each['id'] as Uint8Array)]))
    for (const cells of page) {
      const id = textOf(cells['id'] as Uint8Array)
      if (ids.get(keyIn(cells)) === id) continue
      const context = await contextOf(db, tenant, cells)
      const [name] = await db.rows('name', tenant, cells['id'] as Uint8Array)
      if (name === undefined || keyIn(name) !== keyIn(cells)) continue
      if (context === undefined) found.push(`The name ${id} leads to a context, ${keyIn(cells)}, that is not there.`)
      else if (textOf(context['id'] as Uint8Array) !== id)
        found.push(`The name ${id} leads to a context of another name, ${textOf(context['id'] as Uint8Array)}.`)
    }
    if (page.length < PAGE || found.length >= MOST) return found.slice(0, MOST)
    after = page.at(-1)!['id'] as Uint8Array
  }
}

async function contextOf(db: Connections, tenant: Uint8Array, { family, context }: Cells): Promise<Cells | undefined> {
  return (await db.rows('contexts', tenant, [family as Uint8Array], [context as Uint8Array]))[0]
}

function keyIn({ family, context }: Cells): string {
  return keyOf(family as Uint8Array, context as Uint8Array)
}

const NONE = new Uint8Array()
