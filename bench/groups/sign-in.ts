import { digits, median, ownClock, ratios } from '../frame/figure.ts'
import { alternating, type Group, roundsOf } from '../frame/group.ts'
import { load, post, type Request, send } from '../frame/load.ts'
import { createServedPrompt, fetchPath } from './fill.ts'

const user = { username: 'edda', password: 'a phrase of the bench only' }
const others: Request = { path: `${fetchPath}?env=prod` }
const signIns: Request = { path: '/api/login', method: 'POST', body: JSON.stringify(user) }
/** Requests per second of the others: few enough that only the sign-ins can delay them. */
const perSecond = 200

/** Compares the latency of other requests while 10 connections sign in continuously with that without sign-ins. */
export const signIn: Group = {
  name: 'sign-in',
  async measure(bench) {
    const service = await bench.processes.service()
    await createServedPrompt(service)
    await post(service, '/api/users', { ...user, role: 'viewer' })
    const seconds = bench.isQuick ? 1 : 5
    const read = () => load(service, others, { connections: 10, seconds, perSecond })
    const storm = () => load(service, signIns, { connections: 10, seconds })
    await read()
    const p99: Record<'alone' | 'storm', number[]> = { alone: [], storm: [] }
    const rates: number[] = []
    for (const round of roundsOf(bench))
      for (const phase of alternating(round, ['alone', 'storm'] as const)) {
        const [found, signedIn] = await Promise.all([read(), phase === 'storm' ? storm() : null])
        p99[phase].push(found.p99)
        if (signedIn === null) continue
        rates.push(signedIn.perSecond)
        // Sign-ins of one address are handled serially. Those of connections that have ended must not fill the queue.
        await send(service, signIns)
      }
    await bench.profiled(service, 'storm', storm)
    const name = 'p99 of others in a sign-in storm'
    const detail = `${digits(median(rates))} sign-ins/s`
    bench.add({
      name,
      against: 'without sign-ins',
      unit: '×',
      better: 'lower',
      values: ratios(p99.alone, p99.storm),
      detail,
    })
    bench.add({
      name,
      against: ownClock,
      unit: 'ms',
      better: 'lower',
      values: p99.storm,
      goal: 20,
    })
  },
}
