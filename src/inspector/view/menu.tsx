// A button with a menu of actions. The menu is placed by the button on the screen, so that no scrolling box cuts it off.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export type MenuItem = Readonly<{ name: string; hint?: string; act: () => void }>

type Props = Readonly<{ name: string; items: readonly MenuItem[] }>

const GAP = 2
const EDGE = 8

export function Menu({ name, items }: Props): JSX.Element {
  const place = useSignal<Readonly<{ top: number; right: number }> | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const isOpen = place.value !== null
  const close = (): void => {
    place.value = null
  }
  const toggle = (): void => {
    if (isOpen || button.current === null) return close()
    const { bottom, right } = button.current.getBoundingClientRect()
    place.value = { top: bottom + GAP, right: Math.max(EDGE, innerWidth - right) }
  }
  useLayoutEffect(() => {
    if (!isOpen) return
    list.current?.querySelector<HTMLElement>('button')?.focus()
    const outside = (event: Event): void => {
      const isInside = [list.current, button.current].some((each) => each?.contains(event.target as Node))
      if (!isInside) close()
    }
    addEventListener('pointerdown', outside)
    addEventListener('resize', close)
    return () => {
      removeEventListener('pointerdown', outside)
      removeEventListener('resize', close)
    }
  }, [isOpen])
  const press = (event: KeyboardEvent): void => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const now = all.findIndex((each) => each === document.activeElement)
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) all[(now + by + all.length) % all.length]?.focus()
    else if (event.key === 'Escape' || event.key === 'Tab') {
      close()
      button.current?.focus()
    } else return
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <button
        type="button"
        class="menub"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={toggle}
        onKeyDown={(event) => event.key === 'ArrowDown' && !isOpen && (event.preventDefault(), toggle())}
      >
        {name} <span aria-hidden="true">▾</span>
      </button>
      {place.value !== null && (
        <div
          class="menu"
          role="menu"
          aria-label={name}
          ref={list}
          style={{ top: `${place.value.top}px`, right: `${place.value.right}px` }}
          onKeyDown={press}
        >
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              onClick={() => {
                close()
                button.current?.focus()
                item.act()
              }}
            >
              {item.name}
              {item.hint !== undefined && <span class="muted">{item.hint}</span>}
            </button>
          ))}
        </div>
      )}
    </>
  )
}
