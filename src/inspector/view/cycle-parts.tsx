// The schedules of the cycle in view.

import type { JSX } from 'preact'
import type { CycleAnswer, JsonObject, JsonValue } from '../../api/index.js'

export function Schedules({ of }: { of: CycleAnswer }): JSX.Element | null {
  const { schedules, cycle } = of
  if (schedules.length === 0) return null
  return (
    <section>
      <h3>Schedules</h3>
      {schedules.map((schedule) => (
        <p key={jsonText(schedule['key'])}>
          <span class="bd key outside">#{jsonText(schedule['key'])}</span> returns every {jsonText(schedule['cad'])}{' '}
          cycles
          {next(schedule, cycle)}.
        </p>
      ))}
    </section>
  )
}

/** The schedule's next due cycle. */
function next(schedule: JsonObject, cycle: number): string {
  const { first_cycle: first, cad } = schedule
  if (typeof first !== 'number' || typeof cad !== 'number' || cad < 1) return ''
  return `, next in cycle ${first + Math.max(0, Math.ceil((cycle + 1 - first) / cad)) * cad}`
}

function jsonText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
