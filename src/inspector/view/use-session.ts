// The session for all components of the page.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Session } from '../state/session.js'

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('There is no session around this component.')
  return session
}
