// The socket in front of the app: an HTTP server with bounds on time and connections.

import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'

import { getRequestListener } from '@hono/node-server'

import { PactError } from '../errors/index.js'

/** A server that answers with `fetch`; it does not listen yet. */
export function httpServer(
  fetch: (request: Request) => Promise<Response>,
  { connections, bodyTime, time }: Readonly<{ connections: number; bodyTime: number; time: number }>,
): Server {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const http = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: bodyTime + 10_000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 2000,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  )
  boundConnections(http, connections)
  // Closes a client that does not read its answer. Longer than the time of an answer, so that a timeout is still answered with 503.
  http.timeout = time + 20_000
  return http
}

/** Resolves when the server listens. */
export function listening(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const code = 'code' in error ? String(error.code) : error.name
      reject(
        new PactError(
          'E_STORE',
          `The server cannot listen on ${host}:${port}: ${code}.`,
          { reason: 'listen', outcome: 'failed' },
          { cause: error },
        ),
      )
    }
    http.once('error', failed)
    http.listen(port, host, () => {
      http.removeListener('error', failed)
      resolve()
    })
  })
}

/** Closes a server; requests that are not answered after `patience` milliseconds are cut off. */
export function closed(http: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), patience)
    // A connection becomes idle when its request is answered.
    const idle = setInterval(() => http.closeIdleConnections(), 20)
    http.close(() => {
      clearTimeout(timer)
      clearInterval(idle)
      resolve()
    })
    http.closeIdleConnections()
  })
}

/** Bounds connections without keeping a client out: beyond the bound, the connection that has been idle longest is closed. */
export function boundConnections(http: Server, most: number): void {
  /** Connections without a request: no complete header yet, or all requests answered. The oldest comes first. */
  const idle = new Set<Socket>()
  let open = 0
  http.on('connection', (socket: Socket) => {
    open++
    idle.add(socket)
    socket.once('close', () => {
      open--
      idle.delete(socket)
    })
    if (open <= most) return
    // The new one itself, if all others are busy.
    const [oldest] = idle
    oldest?.destroy()
  })
  http.on('request', ({ socket }, response) => {
    idle.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket)
    })
  })
}
