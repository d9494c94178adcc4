// True if the page has one column.

import { signal } from '@preact/signals'

const query = typeof matchMedia === 'function' ? matchMedia('(max-width: 759.98px)') : undefined
const isNarrow = signal(query?.matches === true)
query?.addEventListener('change', () => (isNarrow.value = query.matches))

export function useNarrow(): boolean {
  return isNarrow.value
}

export function narrowNow(): boolean {
  return isNarrow.peek()
}
