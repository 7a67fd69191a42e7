import type { Substitutes } from '../../../server/index.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

export const minute = 60_000
export const secret = 'whsec-canary-0123456789'

type Body = ReturnType<typeof JSON.parse>

export type AlertServer = {
  readonly server: TestServer
  /** Moves the clock forward. */
  advance(ms: number): void
  now(): Date
  /** Lets the timer of the alerts fire once, and waits for what it does. */
  tick(): Promise<void>
  /** Moves the clock minute by minute, with an evaluation after each. */
  minutes(count: number): Promise<void>
  create(body: object): Promise<Body>
  alert(id: string): Promise<Body>
  /** Returns the history of an alert, oldest first. */
  events(id: string): Promise<Body[]>
  report(count: number, run?: object): Promise<void>
  close(): Promise<void>
}

/** Starts the service with a clock and a timer that the test controls. */
export async function startAlerts(
  options: { readonly env?: Record<string, string>; readonly substitutes?: Substitutes } = {},
): Promise<AlertServer> {
  let nowMs = Date.parse('2026-11-21T12:00:00.000Z')
  const works = new Set<() => Promise<void>>()
  const clock = {
    now: () => new Date(nowMs),
    every(_ms: number, work: () => Promise<void>) {
      works.add(work)
      return () => void works.delete(work)
    },
  }
  const { env, substitutes } = options
  const server = await startTestServer({ ...(env && { env }), substitutes: { ...substitutes, clock } })
  const ok = async (what: string, body?: unknown): Promise<Body> => {
    const reply = await server.call(what, body === undefined ? {} : { body })
    if (reply.status >= 300) throw new Error(`${what} answered ${reply.status}: ${reply.text}`)
    return reply.body
  }
  const tick = async () => {
    await Promise.all([...works].map((work) => work()))
  }
  return {
    server,
    advance: (ms) => {
      nowMs += ms
    },
    now: () => new Date(nowMs),
    tick,
    async minutes(count) {
      for (let done = 0; done < count; done += 1) {
        nowMs += minute
        await tick()
      }
    },
    create: async (body) =>
      (await ok('POST /api/alerts', { name: 'An alert', period_minutes: 15, ...body })).data,
    alert: async (id) => (await ok(`GET /api/alerts/${id}`)).data,
    events: async (id) => (await ok(`GET /api/alerts/events?alert=${id}&sort=created_at`)).data,
    async report(count, run = {}) {
      const one = { provider: 'openai', model: 'gpt-4o', latency_ms: 100, status: 'ok', ...run }
      await ok(
        'POST /api/runs',
        Array.from({ length: count }, () => one),
      )
      // The period of an evaluation ends before the current millisecond.
      nowMs += 1
    },
    close: () => server.close(),
  }
}
