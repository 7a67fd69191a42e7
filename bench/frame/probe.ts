/**
 * Preloaded into each measured process (`--import`). Replies to commands of the measuring process over IPC:
 * with the processor time and memory so far, the longest stall and largest memory between `watch` and
 * `watch-end`, or a processor profile.
 */
import { type Profiler, Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export type ProbeCommand = 'cpu' | 'memory' | 'watch' | 'watch-end' | 'profile' | 'profile-end'
/** `stall`: longest delay of the event loop in milliseconds; `peak`: largest resident memory in bytes. */
export type Watched = { readonly stall: number; readonly peak: number }
export type ProbeReply =
  | { readonly cpu: number }
  | { readonly rss: number; readonly heap: number }
  | Watched
  | Profile
  | null
export type Profile = Profiler.Profile

const session = new Session()
const delay = monitorEventLoopDelay({ resolution: 1 })
/** Interval of samples of the resident memory, in milliseconds. */
const peakInterval = 10
let peak = 0
let peakTimer: NodeJS.Timeout | undefined

function watch(): void {
  delay.reset()
  delay.enable()
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  peak = 0
  sample()
  peakTimer = setInterval(sample, peakInterval).unref()
}

function endWatch(): Watched {
  clearInterval(peakTimer)
  delay.disable()
  return { stall: delay.max / 1e6, peak: Math.max(peak, process.memoryUsage.rss()) }
}

async function replyTo(command: ProbeCommand): Promise<ProbeReply> {
  if (command === 'cpu') {
    const { user, system } = process.cpuUsage()
    return { cpu: user + system }
  }
  if (command === 'memory') {
    globalThis.gc?.()
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    return { rss, heap: heapUsed + arrayBuffers }
  }
  if (command === 'watch') {
    watch()
    return null
  }
  if (command === 'watch-end') return endWatch()
  if (command === 'profile') {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 500 })
    await session.post('Profiler.start')
    return null
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

type ProbeMessage = { readonly probe: ProbeCommand; readonly id: number }
const isProbeMessage = (message: unknown): message is ProbeMessage =>
  typeof message === 'object' && message !== null && 'probe' in message

// Worker threads inherit `--import`, but only the main thread has the channel.
if (isMainThread) {
  process.on('message', (message) => {
    if (!isProbeMessage(message)) return
    void replyTo(message.probe).then((value) => process.send?.({ id: message.id, value }))
  })
  // Exits with the measuring process, even if that was killed.
  process.on('disconnect', () => process.exit())
  // The channel must not keep the process alive.
  process.channel?.unref()
}
