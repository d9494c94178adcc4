// Two programs and one context, over HTTP: an agent that commits turns, and somebody who watches it and corrects what it knows. Both meet
// at the same cycle; one of them comes second, reads what the other did, and commits again. Run it with:
// npx tsx examples/over-http.ts

import { pathToFileURL } from 'node:url'

import { PactError } from 'pact-context'
import { createClient, type RemoteContext } from 'pact-context/client'
import { createServer } from 'pact-context/server'
import { openStore } from 'pact-context/store'

export type Seen = Readonly<{ cycles: readonly number[]; conflicts: number; contents: readonly unknown[] }>

export async function runOverHttp(say: (line: string) => void): Promise<Seen> {
  const store = await openStore('memory:')
  const server = createServer({ store })
  const listening = await server.listen()
  const client = createClient({ url: listening.url, token: server.token })
  await client.create('support-42')
  let conflicts = 0

  /** Asks, and where somebody else has committed meanwhile, looks at what there is and asks again with that. */
  const persistently = async <T>(ctx: RemoteContext, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
        conflicts++
        say(`  somebody was first, the newest is cycle ${(await ctx.summary()).cycle}`)
      }
    }
  }

  const agent = async (): Promise<void> => {
    const ctx = await client.open('support-42')
    ctx.system.add('You are a helpful assistant.')
    for (const question of ['How do I reset my password?', 'And my name?', 'Thanks!']) {
      ctx.user(question)
      // The request as it would be sent, with the edits that are not committed yet.
      const { tokens } = await persistently(ctx, () => ctx.render('anthropic', { lens: 'preview' }))
      ctx.assistant(`An answer to ${tokens} tokens.`)
      await persistently(ctx, () => ctx.commit())
    }
  }

  const editor = async (): Promise<void> => {
    const ctx = await client.open('support-42')
    for (const plan of ['free', 'pro']) {
      ctx.set('plan', `The customer is on the ${plan} plan.`)
      await persistently(ctx, () => ctx.commit())
    }
  }

  const watching = (async () => {
    const cycles: number[] = []
    for await (const { cycle } of (await client.open('support-42')).watch({ from: 0 })) {
      cycles.push(cycle)
      if (cycle === 5) break
    }
    return cycles
  })()

  await Promise.all([agent(), editor()])
  const cycles = await watching
  const contents = (await (await client.open('support-42')).thread()).map(({ content }) => content)
  say(`cycles ${cycles.join(', ')}; ${contents.length} items in the thread`)
  await listening.close()
  await store.close()
  return { cycles, conflicts, contents }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runOverHttp(console.log)
