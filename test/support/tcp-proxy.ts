// A way to a server that can be cut: before what is sent arrives, after it arrived and before its answer comes back, or not at all.

import net from 'node:net'

/** The fate of the next message that has a text in it. */
export type Cut = Readonly<{ when: 'before' | 'after'; text: string }>

export class Proxy {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #cut: Cut | undefined
  /** The number of cuts. */
  cuts = 0

  private constructor(to: URL) {
    this.#server = net.createServer((near) => {
      const far = net.connect(Number(to.port), to.hostname)
      let isDeaf = false
      const end = (): void => {
        near.destroy()
        far.destroy()
      }
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.setNoDelay(true).on('error', end)
        socket.on('close', () => {
          this.#sockets.delete(socket)
          end()
        })
      }
      near.on('data', (bytes) => {
        const cut = this.#cut
        if (cut === undefined || !bytes.includes(cut.text)) {
          far.write(bytes)
          return
        }
        this.#cut = undefined
        this.cuts++
        if (cut.when === 'before') return end()
        // The server gets it and answers; the answer is lost.
        isDeaf = true
        far.write(bytes)
      })
      far.on('data', (bytes) => {
        if (isDeaf) return end()
        near.write(bytes)
      })
    })
  }

  static async to(url: string): Promise<Readonly<{ proxy: Proxy; url: string }>> {
    const target = new URL(url)
    const proxy = new Proxy(target)
    const port = await new Promise<number>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', () => resolve((proxy.#server.address() as net.AddressInfo).port))
    })
    const through = new URL(url)
    through.port = String(port)
    return { proxy, url: through.href }
  }

  next(cut: Cut): void {
    this.#cut = cut
  }

  /** All connections end at once. */
  cutAll(): void {
    this.cuts += this.#sockets.size / 2
    for (const socket of this.#sockets) socket.destroy()
  }

  async end(): Promise<void> {
    this.cutAll()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}
