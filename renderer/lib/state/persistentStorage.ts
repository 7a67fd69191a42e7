import { createStore, del, get, keys, set } from 'idb-keyval'
import type { z } from 'zod'

// Stores data by name that is too large for localStorage. Never store a secret in it.

/** Values that IndexedDB could not store because it is blocked or full. They last as long as the page. */
const memory = new Map<string, unknown>()
let store: ReturnType<typeof createStore> | null = null

/** Runs `work` with the store. Async, because a browser without IndexedDB throws synchronously. */
async function withStore<T>(work: (store: ReturnType<typeof createStore>) => Promise<T>): Promise<T> {
  store ??= createStore('promptdeck', 'kept')
  return work(store)
}

/**
 * Returns a stored value, or null if there is none or it has another shape, as an older console may have
 * written.
 */
export async function readStored<T>(name: string, shape: z.ZodType<T>): Promise<T | null> {
  const value = memory.get(name) ?? (await withStore((db) => get<unknown>(name, db)).catch(() => undefined))
  return shape.safeParse(value).data ?? null
}

/** Stores a value across visits; in memory if IndexedDB refuses it. */
export async function writeStored(name: string, value: unknown): Promise<void> {
  try {
    await withStore((db) => set(name, value, db))
    memory.delete(name)
  } catch {
    memory.set(name, value)
  }
}

export async function deleteStored(name: string): Promise<void> {
  memory.delete(name)
  await withStore((db) => del(name, db)).catch(() => undefined)
}

export async function storedNames(prefix: string): Promise<string[]> {
  const stored = await withStore((db) => keys(db)).catch(() => [])
  return [...new Set([...stored.map(String), ...memory.keys()])].filter((name) => name.startsWith(prefix))
}
