/**
 * Loaded before the program of each measured process (`--import`). Answers the questions of the measurement by
 * IPC: the processor time and memory of the process so far, and a processor profile.
 */
import { type Profiler, Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'

export type Question = 'cpu' | 'memory' | 'profile' | 'profile-end'
export type Answer =
  | { readonly cpu: number }
  | { readonly rss: number; readonly heap: number }
  | Profile
  | null
export type Profile = Profiler.Profile

const session = new Session()

async function answer(question: Question): Promise<Answer> {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage()
    return { cpu: user + system }
  }
  if (question === 'memory') {
    globalThis.gc?.()
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    return { rss, heap: heapUsed + arrayBuffers }
  }
  if (question === 'profile') {
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

type Asked = { readonly probe: Question; readonly id: number }
const isAsked = (message: unknown): message is Asked =>
  typeof message === 'object' && message !== null && 'probe' in message

// Worker threads inherit `--import`, but only the main thread has the channel.
if (isMainThread) {
  process.on('message', (message) => {
    if (!isAsked(message)) return
    void answer(message.probe).then((value) => process.send?.({ id: message.id, value }))
  })
  // Ends with the measurement, also if that was killed.
  process.on('disconnect', () => process.exit())
  // The channel must not keep the process alive.
  process.channel?.unref()
}
