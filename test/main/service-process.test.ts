import { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostService } from '../../main/service/host-service.ts'
import type { HostCommand, ServiceMessage } from '../../main/service/service-messages.ts'
import { type Child, startLimitMs, startServiceProcess } from '../../main/service/service-process.ts'
import { readConfig } from '../../server/config.ts'
import { startServer } from '../../server/index.ts'
import { manualClock } from './support/clock.ts'

const url = 'http://127.0.0.1:4780'
const keys = { stored: null, use: 'os', store: async () => {} } as const

/** Simulates a utility process: both ends of its port, and its exit. */
function double(
  start: () => Promise<{ url: string; close(): Promise<void> }>,
  options: { ignoresCommands?: boolean } = {},
) {
  const toWindow = new EventEmitter()
  const toService = new EventEmitter()
  const log: string[] = []
  const exit = (code: number) => {
    log.push(`exit ${code}`)
    toWindow.emit('exit', code)
  }
  const child: Child = {
    postMessage: (message: HostCommand) => {
      log.push(message.kind)
      if (options.ignoresCommands !== true) toService.emit('message', { data: message })
    },
    on: (event: string, listener: (value: never) => void) =>
      toWindow.on(event, (value) => listener(value as never)),
    kill: () => {
      log.push('kill')
      setImmediate(exit, 137)
      return true
    },
  }
  const fork = () => {
    const port = {
      postMessage: (message: ServiceMessage) => void toWindow.emit('message', message),
      on: (event: 'message', listener: (event: { data: unknown }) => void) => toService.on(event, listener),
    }
    void hostService({ port, start, exit })
    return child
  }
  return { fork, log, exit, send: (message: unknown) => toWindow.emit('message', message), toService }
}

const running =
  (close: () => Promise<void> = async () => {}) =>
  async () => ({ url, close })
const neverLost = () => {
  throw new Error('the service was taken for lost')
}

describe('the service in a separate process', () => {
  it('is ready once it reports so, with its address', async () => {
    const { fork } = double(running())
    await expect(startServiceProcess({ keys, fork, onLost: neverLost })).resolves.toMatchObject({ url })
  })

  it('closes the service before the process ends', async () => {
    const order: string[] = []
    const { fork, log } = double(
      running(async () => {
        order.push('closed')
      }),
    )
    const service = await startServiceProcess({ keys, fork, onLost: neverLost })
    await service.close()
    expect(order).toEqual(['closed'])
    expect(log).toEqual(['close', 'exit 0'])
    await service.close()
    expect(log).toEqual(['close', 'exit 0'])
  })

  it('exits with 1 if the service does not close cleanly', async () => {
    const { fork, log } = double(running(() => Promise.reject(new Error('disk'))))
    const service = await startServiceProcess({ keys, fork, onLost: neverLost })
    await service.close()
    expect(log).toEqual(['close', 'exit 1'])
  })

  it('is killed if it does not exit in time', async () => {
    const { fork, log } = double(running(), { ignoresCommands: true })
    const service = await startServiceProcess({ keys, fork, onLost: neverLost, closeLimitMs: 1 })
    await service.close()
    expect(log).toEqual(['close', 'kill', 'exit 137'])
  })

  it('passes on why it did not start', async () => {
    const { fork } = double(() => Promise.reject(new Error('Port 4780 is taken.')))
    const failure = { message: 'Port 4780 is taken.', kind: 'refused', runningAt: null }
    await expect(startServiceProcess({ keys, fork, onLost: neverLost })).rejects.toMatchObject(failure)
  })

  it('passes on the address of a service with the same data', async () => {
    const locked = (data: object) => double(() => Promise.reject(Object.assign(new Error('In use.'), data)))
    const start = ({ fork }: ReturnType<typeof double>) =>
      startServiceProcess({ keys, fork, onLost: neverLost })
    await expect(start(locked({ code: 'locked', url }))).rejects.toMatchObject({
      kind: 'locked',
      runningAt: url,
    })
    await expect(start(locked({ code: 'locked', url: null }))).rejects.toMatchObject({
      kind: 'locked',
      runningAt: null,
    })
    // Only a lock error contains the address of a service; addresses in other errors are ignored.
    await expect(start(locked({ code: 'damaged', url }))).rejects.toMatchObject({
      kind: 'refused',
      runningAt: null,
    })
  })

  it('fails if the process ends before it is ready, or takes too long', async () => {
    const dying = double(() => new Promise(() => {}))
    const died = startServiceProcess({ keys, fork: dying.fork, onLost: neverLost })
    dying.exit(139)
    await expect(died).rejects.toThrow('ended with code 139 before it was ready')

    const slow = double(() => new Promise(() => {}))
    const clock = manualClock()
    const late = startServiceProcess({ keys, fork: slow.fork, onLost: neverLost, clock })
    const outcome = late.then(
      () => 'up',
      (error) => error.message,
    )
    clock.pass(startLimitMs - 1)
    expect(slow.log).toEqual([])
    clock.pass(1)
    expect(slow.log).toEqual(['kill'])
    await expect(outcome).resolves.toBe('The service was not ready within 10 minutes.')
    expect(slow.log).toEqual(['kill', 'exit 137'])
    expect(clock.pendingTimers()).toBe(0)
  })

  it('ends on request while it starts, by force if it does not react', async () => {
    const stop = new AbortController()
    const host = double(() => new Promise(() => {}))
    const clock = manualClock()
    const starting = startServiceProcess({
      keys,
      fork: host.fork,
      onLost: neverLost,
      signal: stop.signal,
      clock,
    })
    const outcome = starting.then(
      () => 'up',
      (error) => error.kind,
    )
    stop.abort()
    expect(host.log).toEqual(['close'])
    clock.pass(10_000)
    await expect(outcome).resolves.toBe('ended')
    expect(host.log).toEqual(['close', 'kill', 'exit 137'])
  })

  it('reports a later loss, and only then', async () => {
    const lost: number[] = []
    const { fork, exit } = double(running())
    await startServiceProcess({ keys, fork, onLost: (code) => lost.push(code) })
    exit(1)
    expect(lost).toEqual([1])
  })

  it('ignores invalid messages', async () => {
    const silent = double(() => new Promise(() => {}))
    const starting = startServiceProcess({ keys, fork: silent.fork, onLost: neverLost })
    for (const message of [
      null,
      'ready',
      {},
      { kind: 'ready' },
      { kind: 'ready', url: 5 },
      { kind: 'failed' },
      { kind: 'failed', reason: 'x', runningAt: null },
    ])
      silent.send(message)
    silent.send({ kind: 'ready', url })
    await expect(starting).resolves.toMatchObject({ url })
  })

  it('closes a service that was still starting when it was asked to end', async () => {
    let started: (value: { url: string; close(): Promise<void> }) => void = () => {}
    const order: string[] = []
    const host = double(
      () =>
        new Promise((resolve) => {
          started = resolve
        }),
    )
    host.fork()
    host.toService.emit('message', { data: { kind: 'open the door' } })
    host.toService.emit('message', { data: { kind: 'close' } })
    const close = async () => {
      order.push('closed')
    }
    started({ url, close })
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(order).toEqual(['closed'])
    expect(host.log).toEqual(['exit 0'])
  })
})

it('hosts the real service: it serves its address, and releases its data when closed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-host-'))
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const host = () => double(() => startServer(config, { passwordCost: 4 }))
  try {
    const first = await startServiceProcess({ keys, fork: host().fork, onLost: neverLost })
    const health = await fetch(`${first.url}/health`)
    expect(health.status).toBe(200)

    const second = startServiceProcess({ keys, fork: host().fork, onLost: neverLost })
    await expect(second).rejects.toMatchObject({ runningAt: first.url })

    await first.close()
    const third = await startServiceProcess({ keys, fork: host().fork, onLost: neverLost })
    await third.close()
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
