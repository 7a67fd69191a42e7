import { createStore, del, get, keys, set } from 'idb-keyval'
import type { z } from 'zod'

/**
 * What this browser keeps across visits that is too much for localStorage: in IndexedDB, by name, never a secret. Where
 * the browser keeps nothing (blocked, or out of room) it lasts as long as the page.
 */
const memory = new Map<string, unknown>()
let place: ReturnType<typeof createStore> | null = null

/** In a promise, for a browser without IndexedDB throws at once. */
async function within<T>(work: (place: ReturnType<typeof createStore>) => Promise<T>): Promise<T> {
  place ??= createStore('promptdeck', 'kept')
  return work(place)
}

/** Null when there is none, or when it is of another shape: an older console may have written it. */
export async function readKept<T>(name: string, shape: z.ZodType<T>): Promise<T | null> {
  const value = memory.get(name) ?? (await within((at) => get<unknown>(name, at)).catch(() => undefined))
  return shape.safeParse(value).data ?? null
}

export async function keep(name: string, value: unknown): Promise<void> {
  try {
    await within((at) => set(name, value, at))
    memory.delete(name)
  } catch {
    memory.set(name, value)
  }
}

export async function forgetKept(name: string): Promise<void> {
  memory.delete(name)
  await within((at) => del(name, at)).catch(() => undefined)
}

/** The names that begin so. */
export async function keptNames(prefix: string): Promise<string[]> {
  const stored = await within((at) => keys(at)).catch(() => [])
  return [...new Set([...stored.map(String), ...memory.keys()])].filter((name) => name.startsWith(prefix))
}
