import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Fence } from '../lock/fence.ts'
import { announceJob, createJobMemory, putJob } from './job-memory.ts'
import type { JournalJob, JournalReply, JournalThreadData } from './journal-jobs.ts'

/** The thread that writes and syncs the journal. It runs one job at a time and replies to each. */
export type JournalThread = {
  /** Memory for the bytes of the next append, which takes less time than a message. */
  readonly staging: Uint8Array<SharedArrayBuffer>
  /** Sets the listener, before the first job. If the thread has already failed, reports it immediately. */
  listen(listener: JournalListener): void
  post(job: JournalJob): void
  end(): Promise<void>
}

export type JournalListener = {
  /** Called when the current job is on disk. */
  readonly onDone: () => void
  /** Called when a job failed or the thread ended. May be called again; the first error is the cause. */
  readonly onFailed: (error: Error) => void
}

export function startJournalThread(fence: Fence): JournalThread {
  const { port1: port, port2 } = new MessageChannel()
  const memory = createJobMemory()
  const workerData: JournalThreadData = { port: port2, memory, fence }
  const thread = new Worker(new URL('./journal.worker.js', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  let isEnding = false
  let listener: JournalListener | undefined
  let failure: Error | undefined

  const fail = (error: Error): void => {
    failure ??= error
    listener?.onFailed(error)
  }
  const receive = ({ error }: JournalReply): void => {
    if (error === undefined) listener?.onDone()
    else fail(Object.assign(new Error(error.message), error))
  }
  port.on('message', receive)
  thread.on('error', fail)
  thread.on('exit', () => {
    // The exit event may come before the last message, which has the error.
    for (let rest = receiveMessageOnPort(port); rest !== undefined; rest = receiveMessageOnPort(port)) {
      receive(rest.message)
    }
    if (!isEnding) fail(new Error('the journal thread ended'))
  })

  return {
    staging: memory.staging,
    listen(added) {
      listener = added
      if (failure !== undefined) added.onFailed(failure)
    },
    post(job) {
      // The thread ends by itself after this job.
      if (job.op === 'close') isEnding = true
      if (!putJob(memory, job)) port.postMessage(job)
      announceJob(memory)
    },
    async end() {
      isEnding = true
      port.close()
      await thread.terminate()
    },
  }
}
