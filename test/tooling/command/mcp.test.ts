import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environment, program } from '../../support/command.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'

let folder = ''
let service: ServiceProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-mcp-'))
  service = await spawnService({ DATA_DIR: join(folder, 'data') })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

const api = (path: string, body: object) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

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
    await api('/api/prompts', { key: 'over/stdio', env: 'prod', content: 'Hi {{name}}' })
    await changed(2)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['over/stdio'])
    const prompt = await client.getPrompt({ name: 'over/stdio', arguments: { name: 'Lin' } })
    expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hi Lin' } }])
    await client.callTool({ name: 'create_draft', arguments: { key: 'a/draft', content: 'x' } })
    await client.close()
    const audit = await fetch(`${service.url}/api/audit?key=a/draft`, {
      headers: { authorization: `Bearer ${serviceToken}` },
    })
    expect(await audit.text()).toContain('(MCP client stdio-client 4.5)')
  })

  it('holds the messages of a client that does not wait until its session exists', async () => {
    const child = spawn(process.execPath, [program, 'mcp'], {
      env: environment({
        config: folder,
        env: { PROMPTDECK_URL: service.url, PROMPTDECK_TOKEN: serviceToken },
      }),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'eager', version: '1' },
    }
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ]
    child.stdin.write(messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''))
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = JSON.parse(line)
      expect(answer.error).toBeUndefined()
      if (answer.id !== 2) continue
      expect(answer.result.tools).not.toHaveLength(0)
      break
    }
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  })

  it('uses the path of the address', async () => {
    const paths: (string | undefined)[] = []
    const proxy = createServer((req, res) => {
      paths.push(req.url)
      res.writeHead(404).end()
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    try {
      const { port } = proxy.address() as AddressInfo
      const env = { PROMPTDECK_TOKEN: serviceToken }
      const args = ['--url', `http://127.0.0.1:${port}/deck/`, '--env', 'prod']
      await expect(connect(args, env)).rejects.toThrow()
      expect(paths[0]).toBe('/deck/mcp?env=prod')
    } finally {
      proxy.close()
    }
  })

  it('answers a request that the service rejects with the reason', async () => {
    const env = { PROMPTDECK_URL: service.url, PROMPTDECK_TOKEN: 'wrong' }
    await expect(connect([], env)).rejects.toThrow(/rejected the request.*PROMPTDECK_TOKEN/s)
  })
})
