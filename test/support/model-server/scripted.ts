import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../http/loopback.ts'

/** The exact reply to one request. */
export type Script = {
  readonly status: number
  readonly statusText?: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly chunks: readonly Buffer[]
  /** `hold`: the reply does not end. `drop`: the connection is lost after the chunks. */
  readonly end?: 'hold' | 'drop'
}

/** A request as it arrived. */
export type Arrived = {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Resolves when the connection of the request closes. */
  readonly closed: Promise<unknown>
}

export type ScriptedServer = {
  readonly url: string
  /** The requests by the value of their header `x-case`. */
  readonly arrived: ReadonlyMap<string, Arrived>
  /** Sets the reply to requests with this header `x-case`. */
  reply(name: string, script: Script): void
  close(): Promise<void>
}

/** Starts a server that sends exact bytes, in exact chunks, chosen by the header `x-case` of a request. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const scripts = new Map<string, Script>()
  const arrived = new Map<string, Arrived>()
  const server = createServer((req, res) => {
    answer(scripts, arrived, req, res).catch(() => res.destroy())
  })
  return {
    ...(await listen(server)),
    arrived,
    reply: (name, script) => void scripts.set(name, script),
  }
}

async function answer(
  scripts: ReadonlyMap<string, Script>,
  arrived: Map<string, Arrived>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const closed = once(res, 'close')
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part)
  const name = String(req.headers['x-case'])
  const { method = '', url = '', rawHeaders } = req
  arrived.set(name, { method, url, rawHeaders, body: Buffer.concat(parts), closed })
  const script = scripts.get(name)
  if (script === undefined) throw new Error(`there is no script ${name}`)
  res.sendDate = false
  res.writeHead(script.status, script.statusText, [...script.headers])
  res.flushHeaders()
  for (const chunk of script.chunks) {
    // Each chunk is written on its own, so that the chunks of the transfer are those of the script.
    await new Promise<void>((resolve) => {
      res.write(chunk, () => resolve())
    })
  }
  if (script.end === 'drop') res.socket?.destroy()
  else if (script.end !== 'hold') res.end()
}
