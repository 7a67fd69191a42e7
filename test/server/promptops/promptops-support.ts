import { once } from 'node:events'
import WebSocket from 'ws'

/**
 * PromptOps's clients according to their published documentation. `node` and `python` differ in two ways: the
 * Python client sends no pong, and stops its watch when the fetch after a frame is not 200.
 */
export type SdkKind = 'node' | 'python'

type Fetched = { readonly key: string; readonly version: string; readonly content: string }
export type Watch = {
  /** Resolves with the prompt fetched after the next frame of that key. */
  next(): Promise<Fetched>
  /** Frames with a key, in order of arrival. */
  readonly frames: readonly { readonly key: string }[]
  readonly isOver: () => boolean
  close(): Promise<void>
}

export type PromptOpsSdk = {
  render(key: string, variables: Readonly<Record<string, string>>): Promise<string>
  watch(key: string): Promise<Watch>
}

const fill = (content: string, variables: Readonly<Record<string, string>>): string =>
  content.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => variables[name] ?? whole)

export function promptOpsSdk(
  kind: SdkKind,
  at: { readonly url: string; readonly token: string; readonly env?: string },
): PromptOpsSdk {
  const { url, token, env = 'prod' } = at
  const fetchKey = (key: string): Promise<Response> =>
    fetch(`${url}/api/sdk/prompts/${encodeURIComponent(key)}?env=${env}`, {
      headers: { authorization: `Bearer ${token}` },
    })

  return {
    async render(key, variables) {
      const reply = await fetchKey(key)
      const body = await reply.json()
      if (!reply.ok) throw new Error(`fetching ${key} answered ${reply.status}: ${body.error}`)
      return fill(body.content, variables)
    },

    async watch(key) {
      const query = new URLSearchParams({ token, client: `${kind}-sdk`, namespace: env, app: 'demo' })
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?${query}`, {
        autoPong: kind === 'node',
      })
      const frames: { key: string }[] = []
      const fetched: Fetched[] = []
      let isOver = false
      let wake: () => void = () => undefined
      socket.on('message', async (data) => {
        const frame = JSON.parse(String(data))
        if (typeof frame.key !== 'string' || isOver) return
        frames.push(frame)
        const reply = await fetchKey(frame.key)
        const body = await reply.json()
        if (reply.ok && frame.key === key) fetched.push(body)
        else if (!reply.ok && kind === 'python') isOver = true
        wake()
      })
      await once(socket, 'open')
      return {
        frames,
        isOver: () => isOver,
        async next() {
          while (fetched.length === 0) {
            if (isOver) throw new Error('the watch ended')
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
          const [first] = fetched.splice(0, 1)
          if (first === undefined) throw new Error('nothing was fetched')
          return first
        },
        async close() {
          const closed = once(socket, 'close')
          socket.close()
          await closed
        },
      }
    },
  }
}
