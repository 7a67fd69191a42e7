import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Fence } from '../lock/fence.ts'
import type { RecordTarget } from '../record/guard.ts'
import type { JournalJob, JournalReply, JournalThreadData } from './journal-jobs.ts'

/** The thread that writes and syncs the journal. It runs one job at a time and replies to each. */
export type JournalThread = {
  post(job: JournalJob): void
  end(): Promise<void>
}

export function startJournalThread(options: {
  readonly fence: Fence
  readonly record: RecordTarget | undefined
  /** Called when the current job is on disk. */
  readonly onDone: () => void
  /** Called when a job failed or the thread ended. May be called again; the first error is the cause. */
  readonly onFailed: (error: Error) => void
}): JournalThread {
  const { onDone, onFailed } = options
  const { port1: port, port2 } = new MessageChannel()
  const wakeCounter = new Int32Array(new SharedArrayBuffer(4))
  const { fence, record } = options
  const workerData: JournalThreadData = { port: port2, wakeCounter, fence, record }
  const thread = new Worker(new URL('./journal.worker.js', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  let isEnding = false

  const receive = ({ error }: JournalReply): void => {
    if (error === undefined) onDone()
    else onFailed(Object.assign(new Error(error.message), error))
  }
  port.on('message', receive)
  thread.on('error', onFailed)
  thread.on('exit', () => {
    // The exit event may come before the last message, which has the error.
    for (let rest = receiveMessageOnPort(port); rest !== undefined; rest = receiveMessageOnPort(port)) {
      receive(rest.message)
    }
    if (!isEnding) onFailed(new Error('the journal thread ended'))
  })

  return {
    post(job) {
      // The thread ends by itself after this job.
      if (job.op === 'close') isEnding = true
      port.postMessage(job)
      Atomics.add(wakeCounter, 0, 1)
      Atomics.notify(wakeCounter, 0)
    },
    async end() {
      isEnding = true
      port.close()
      await thread.terminate()
    },
  }
}
