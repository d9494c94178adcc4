// The page behind a link that was used: it says how to get another one.

import { createHash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
h1 { font-size: 1.4rem }
kbd, code { font: 0.9em ui-monospace, monospace }
kbd { padding: 0 0.4em; border: 1px solid; border-radius: 4px }
`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This link has expired</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>This link has expired</h1>
<p>It works once, and it was used. Press <kbd>Enter</kbd> in the terminal of <code>pctx serve</code>, <code>pctx open</code> or
<code>npm start</code>: it prints another link.</p>
<p>A program that calls <code>inspect</code> prints a link when it starts.</p>
</main>
</body>
</html>
`

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`

export function usedLink(): Response {
  return new Response(PAGE, {
    status: 401,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    },
  })
}
