// The door of the inspector is its page: this file starts it. Nothing else imports this room.

import { createElement, render } from 'preact'
import { createSession } from './state/session.js'
import { startKeys } from './view/keys.js'
import { Page } from './view/page.js'
import { startTheme } from './view/theme.js'

startTheme()
const session = createSession()
startKeys(session)
render(createElement(Page, { session }), document.body)
