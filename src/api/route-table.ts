// The table of routes in docs/http.md. A test compares the two; `node scripts/http-docs.mjs` writes it.

import { paramsOf, ROWS } from './routes.js'
import { READING } from './fields.js'

export function routeTable(): string {
  const rows = ROWS.flatMap((row) => {
    const { about, input, method = 'read', needs = {}, path, status = 200 } = row
    if (path === undefined) return []
    const left = [...paramsOf(row).map(([, field]) => field), ...(method === 'read' ? Object.keys(READING) : [])]
    const fields = Object.entries(input).filter(([name]) => !left.includes(name))
    const isBody = method === 'post' || method === 'put'
    const names = fields.map(([name, { isOptional }]) => (isBody && isOptional && !(name in needs) ? `${name}?` : name))
    const asked = names.length === 0 ? '' : isBody ? ` { ${names.join(', ')} }` : `?${names.join('&')}`
    const place = path.replace('/v1/contexts/:id/', '…/')
    const verb = method === 'read' ? '' : `${method.toUpperCase()} `
    return [`| \`${verb}${place}${asked}\` | ${status === 200 ? '' : `${status}. `}${about} |`]
  })
  return ['| route | answer |', '| --- | --- |', ...rows].join('\n')
}
