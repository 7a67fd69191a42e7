import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environment, program } from '../../support/command.ts'
import { listen } from '../../support/http/loopback.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'

let folder = ''
let data = ''
let service: ServiceProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-mcp-'))
  data = join(folder, 'data')
  service = await spawnService({ DATA_DIR: data })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const api = (method: string, path: string, body?: object) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** The command as a client sees it. */
type Relay = {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: Interface
  send(message: object): void
  /** Resolves with the reply to a request. */
  reply(id: number): Promise<ReturnType<typeof JSON.parse>>
}

function startRelay(args: readonly string[], env: Readonly<Record<string, string>>): Relay {
  const child = spawn(process.execPath, [program, 'mcp', ...args], {
    env: environment({ config: folder, data, env }),
  })
  // The command may end before it has read everything.
  child.stdin.on('error', () => {})
  child.stderr.resume()
  const lines = createInterface({ input: child.stdout })
  return {
    child,
    lines,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    reply: (id) =>
      new Promise((resolve) => {
        const read = (line: string) => {
          const message = JSON.parse(line)
          if (message.id !== id) return
          lines.off('line', read)
          resolve(message)
        }
        lines.on('line', read)
      }),
  }
}

const clientInfo = { name: 'raw', version: '1' }
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }

async function initialize(relay: Relay): Promise<void> {
  relay.send({ id: 0, method: 'initialize', params })
  expect((await relay.reply(0)).result).toBeDefined()
  relay.send({ method: 'notifications/initialized' })
}

/** Ends stdin and resolves with the exit code. */
async function end({ child }: Relay): Promise<number | null> {
  const exit = once(child, 'exit')
  child.stdin.end()
  return (await exit)[0]
}

/** Connects the official client to the built command. */
async function connect(args: readonly string[], env: Readonly<Record<string, string>>) {
  const client = new Client({ name: 'stdio-client', version: '4.5' })
  let count = 0
  let wake: () => void = () => undefined
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => {
    count += 1
    wake()
  })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: environment({ config: folder, env }),
    stderr: 'ignore',
  })
  await client.connect(transport)
  /** Resolves when the list has changed this often. The first notification comes with the stream. */
  const changed = async (times: number) => {
    while (count < times)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  return { client, changed }
}

describe('promptdeck mcp', () => {
  it('connects a client on stdin and stdout to the service', async () => {
    const env = { PROMPTDECK_URL: service.url, PROMPTDECK_TOKEN: serviceToken }
    const { client, changed } = await connect(['--workspace', 'default', '--env', 'prod'], env)
    await changed(1)
    await api('POST', '/api/prompts', { key: 'over/stdio', env: 'prod', content: 'Hi {{name}}' })
    await changed(2)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['over/stdio'])
    const prompt = await client.getPrompt({ name: 'over/stdio', arguments: { name: 'Lin' } })
    expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hi Lin' } }])
    await client.callTool({ name: 'create_draft', arguments: { key: 'a/draft', content: 'x' } })
    await client.close()
    const audit = await api('GET', '/api/audit?key=a/draft')
    expect(await audit.text()).toContain('(MCP client stdio-client 4.5)')
  })

  it('holds the messages of a client that does not wait until its session exists, without a warning', async () => {
    const { child, lines } = startRelay(['--url', service.url], { PROMPTDECK_TOKEN: serviceToken })
    const errors = text(child.stderr)
    // Node warns of more than ten listeners of one signal.
    const waiting = new Set(Array.from({ length: 15 }, (_, at) => at + 2))
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      ...[...waiting].map((id) => ({ id, method: 'tools/list' })),
    ]
    child.stdin.write(messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''))
    for await (const line of lines) {
      const answer = JSON.parse(line)
      expect(answer.error).toBeUndefined()
      if (!waiting.delete(answer.id)) continue
      expect(answer.result.tools).not.toHaveLength(0)
      if (waiting.size === 0) break
    }
    child.stdin.end()
    expect(await errors).toBe('')
  })

  it('uses the path of the address', async () => {
    const paths: (string | undefined)[] = []
    const proxy = createServer((req, res) => {
      paths.push(req.url)
      res.writeHead(404).end()
    })
    const { url, close } = await listen(proxy)
    try {
      const env = { PROMPTDECK_TOKEN: serviceToken }
      const args = ['--url', `${url}/deck/`, '--env', 'prod']
      await expect(connect(args, env)).rejects.toThrow()
      expect(paths[0]).toBe('/deck/mcp?env=prod')
    } finally {
      await close()
    }
  })

  it('answers a request that the service rejects with the reason', async () => {
    const env = { PROMPTDECK_URL: service.url, PROMPTDECK_TOKEN: 'wrong' }
    await expect(connect([], env)).rejects.toThrow(/rejected the request.*PROMPTDECK_TOKEN/s)
  })

  it('answers a request that ends without a result, because its token was revoked', async () => {
    const created = await (await api('POST', '/api/tokens', { name: 'short', role: 'viewer' })).json()
    const { id, token } = (created as { data: { id: string; token: string } }).data
    const relay = startRelay(['--url', service.url], { PROMPTDECK_TOKEN: token })
    await initialize(relay)
    const args = { content: 'slow', params: { mock: { first_token_ms: 60_000 } } }
    const reply = relay.reply(1)
    relay.send({ id: 1, method: 'tools/call', params: { name: 'run_prompt', arguments: args } })
    await expect
      .poll(async () => (await api('GET', '/metrics')).text())
      .toMatch(/^promptdeck_provider_calls 1$/m)
    await api('DELETE', `/api/tokens/${id}`)
    expect((await reply).error.message).toContain('ended the request without a result')
    expect(await end(relay)).toBe(0)
  })

  it('finds the service of this machine again, which has another key and port after a restart', async () => {
    const relay = startRelay([], {})
    await initialize(relay)
    await service.stop()
    const down = relay.reply(1)
    relay.send({ id: 1, method: 'tools/list' })
    expect((await down).error.message).toContain('No service was found')
    service = await spawnService({ DATA_DIR: data }, { isFirstStart: true })
    const up = relay.reply(2)
    relay.send({ id: 2, method: 'tools/list' })
    expect((await up).result?.tools).not.toHaveLength(0)
    expect(await end(relay)).toBe(0)
  })

  it('ends with stdin, also while it opens the stream of notifications again', async () => {
    const streams: ServerResponse[] = []
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const server = createServer((req, res) => {
      if (req.method === 'GET') {
        streams.push(res)
        // The first stream breaks, and the second one is never answered.
        if (streams.length === 1) res.writeHead(200, { 'content-type': 'text/event-stream' }).end()
        else open()
        return
      }
      let body = ''
      req.on('data', (text) => {
        body += text
      })
      req.on('end', () => {
        const { id } = JSON.parse(body)
        if (id === undefined) return res.writeHead(202).end()
        const result = { ...params, clientInfo: undefined, serverInfo: clientInfo }
        res.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' })
        return res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      })
    })
    const { url, close } = await listen(server)
    try {
      const relay = startRelay(['--url', url], { PROMPTDECK_TOKEN: serviceToken })
      await initialize(relay)
      await opened
      expect(await end(relay)).toBe(0)
    } finally {
      await close()
    }
  })

  it('ends with a failure at a message that it cannot read', async () => {
    const relay = startRelay(['--url', service.url], { PROMPTDECK_TOKEN: serviceToken })
    await initialize(relay)
    const exit = once(relay.child, 'exit')
    relay.child.stdin.write('x'.repeat(11 * 2 ** 20))
    expect((await exit)[0]).toBe(1)
  })
})
