import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { token } from './processes.ts'

/** The models of `bench/counterparts/provider.ts`. */
type Model = 'paced' | 'short' | 'large'
export type Streams = {
  readonly url: string
  readonly model: Model
  readonly count: number
  /** Number of streams that are open at the same time. */
  readonly concurrency: number
  /** The first `concurrency` streams begin at random times within this period (ms); 0: together. */
  readonly startWithin?: number
}

/** Makes streamed calls, and returns the milliseconds to the first byte of each. Throws if a reply is an error. */
export async function stream({
  url,
  model,
  count,
  concurrency,
  startWithin = 0,
}: Streams): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = JSON.stringify({ model, stream: true, messages })
  const times: number[] = []
  let left = count
  const worker = async () => {
    await pause(Math.random() * startWithin)
    while (left > 0) {
      left -= 1
      times.push(await streamOnce(url, body, agent))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker))
  agent.destroy()
  return times
}

function streamOnce(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const startedAt = performance.now()
    let first = 0
    const req = request(url, { method: 'POST', headers, agent }, (res) => {
      res.on('data', () => {
        first ||= performance.now() - startedAt
      })
      res.on('error', reject)
      res.on('end', () =>
        res.statusCode === 200 ? resolve(first) : reject(new Error(`${url}: status ${res.statusCode}`)),
      )
    })
    req.on('error', reject)
    req.end(body)
  })
}
