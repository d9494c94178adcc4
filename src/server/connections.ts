// A bound on connections that keeps no client out: beyond it, the connection that has been idle longest is closed.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

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
