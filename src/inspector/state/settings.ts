// Choices that outlast the page, in the browser's storage. Without storage they last as long as the page.

import { signal, type ReadonlySignal } from '@preact/signals'

export type Setting = Readonly<{ isOn: ReadonlySignal<boolean>; set: (isOn: boolean) => void }>

function createSetting(name: string, initial: boolean): Setting {
  const isOn = signal(read(name) ?? initial)
  return {
    isOn,
    set: (next) => {
      isOn.value = next
      try {
        localStorage.setItem(name, next ? 'on' : 'off')
      } catch {
        // See above.
      }
    },
  }
}

function read(name: string): boolean | undefined {
  try {
    const said = localStorage.getItem(name)
    return said === null ? undefined : said === 'on'
  } catch {
    return undefined
  }
}

/** Keys of a single letter or sign (WCAG 2.1.4). */
export const letterKeys: Setting = createSetting('pact-letter-keys', true)
/** The notes over the story of the demo. */
export const storyNotes: Setting = createSetting('pact-notes', true)
