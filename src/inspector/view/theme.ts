// Light or dark: the system's choice until the user picks one.

const NAME = 'pact-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

type Theme = 'light' | 'dark'

export function startTheme(): void {
  apply(chosen() ?? system())
  dark.addEventListener('change', () => apply(chosen() ?? system()))
}

export function toggleTheme(): void {
  const next: Theme = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark'
  apply(next)
  try {
    localStorage.setItem(NAME, next)
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

function system(): Theme {
  return dark.matches ? 'dark' : 'light'
}

function chosen(): Theme | undefined {
  try {
    const said = localStorage.getItem(NAME)
    return said === 'light' || said === 'dark' ? said : undefined
  } catch {
    return undefined
  }
}
