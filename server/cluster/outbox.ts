import type { Db } from '../db/types.ts'
import type { Signal } from './signal.ts'
import { insertSignal } from './signals.store.ts'

/** Time in which signals are collected, in milliseconds. */
const collectMs = 250

export type OutboxDeps = {
  readonly db: Pick<Db, 'write'>
  readonly instanceId: string
  readonly onStored: () => void
  readonly onError: (error: unknown) => void
}

type Waiting = Map<Signal['kind'], Signal>

/** Collects signals, so that a service under load stores a few per second at most. */
export function createOutbox({ db, instanceId, onStored, onError }: OutboxDeps) {
  let waiting: Waiting = new Map()
  let timer: NodeJS.Timeout | null = null
  let storing: Promise<void> = Promise.resolve()

  const store = async (): Promise<void> => {
    timer = null
    const signals = waiting
    waiting = new Map()
    try {
      await db.write(
        async ({ q }) => {
          for (const signal of signals.values()) await insertSignal(q, instanceId, signal)
        },
        { evenWhenFull: true },
      )
      onStored()
    } catch (error) {
      onError(error)
      for (const signal of signals.values()) add(signal)
    }
  }
  const add = (signal: Signal): void => {
    waiting.set(signal.kind, merged(waiting.get(signal.kind), signal))
    timer ??= setTimeout(() => {
      storing = store()
    }, collectMs).unref()
  }
  return {
    add,
    /** Stores the collected signals. */
    async close() {
      await storing
      if (timer === null) return
      clearTimeout(timer)
      await store()
      // A signal that cannot be stored is not tried again.
      if (timer !== null) clearTimeout(timer)
    },
  }
}

function merged(before: Signal | undefined, next: Signal): Signal {
  if (before?.kind !== 'runs' || next.kind !== 'runs') return next
  return { kind: 'runs', workspaceIds: [...new Set([...before.workspaceIds, ...next.workspaceIds])] }
}
