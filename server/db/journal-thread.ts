import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { JournalJob, JournalReply, JournalThreadData } from './journal-jobs.ts'
import type { Fence } from './lock/fence.ts'
import type { RecordTarget } from './record/guard.ts'

/** The thread that writes and syncs the journal. It does one job at a time and answers each. */
export type JournalThread = {
  post(job: JournalJob): void
  end(): Promise<void>
}

export function startJournalThread(options: {
  readonly fence: Fence
  readonly record: RecordTarget | undefined
  /** The job under way is on disk. */
  readonly onDone: () => void
  /** A job failed, or the thread is no more. May be called again; the first reason is the one that counts. */
  readonly onFailed: (error: Error) => void
}): JournalThread {
  const { onDone, onFailed } = options
  const { port1: port, port2 } = new MessageChannel()
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const { fence, record } = options
  const workerData: JournalThreadData = { port: port2, bell, fence, record }
  const thread = new Worker(new URL('./journal.worker.js', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  let isEnding = false

  const hear = ({ error }: JournalReply): void => {
    if (error === undefined) onDone()
    else onFailed(Object.assign(new Error(error.message), error))
  }
  port.on('message', hear)
  thread.on('error', onFailed)
  thread.on('exit', () => {
    // Its end may be heard before its last words, which say why.
    for (let left = receiveMessageOnPort(port); left !== undefined; left = receiveMessageOnPort(port)) {
      hear(left.message)
    }
    if (!isEnding) onFailed(new Error('the journal thread ended'))
  })

  return {
    post(job) {
      // After this one it ends by itself.
      if (job.op === 'close') isEnding = true
      port.postMessage(job)
      Atomics.add(bell, 0, 1)
      Atomics.notify(bell, 0)
    },
    async end() {
      isEnding = true
      port.close()
      await thread.terminate()
    },
  }
}
