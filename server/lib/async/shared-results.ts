import { LRUCache } from 'lru-cache'

/**
 * Computes each result once per state of the store: concurrent callers wait for the same result, and later
 * ones get it until something is written.
 */
export type SharedResults<T> = {
  /** The number of the newest transaction. Read it before anything that the result is computed from. */
  readonly version: () => number
  /**
   * Returns the result of `compute`, or that of an earlier call with this key and version. The key must name
   * everything that the result depends on except the store. The result must not be changed.
   */
  readonly get: (key: string, version: number, compute: () => Promise<T>) => Promise<T>
}

/** Creates the shared results of one kind of read. */
export type Share = <T>() => SharedResults<T>

/** Default of `maxBytes` for one kind of read. */
export const defaultSharedBytes = 4 * 1024 * 1024

type State<T> = {
  /** The version of all results. */
  version: number
  readonly results: LRUCache<string, { readonly result: T }>
  readonly computing: Map<string, Promise<T>>
}

/**
 * Creates shared results. `version`: returns the number of the newest transaction. `maxBytes`: maximum total
 * length of the results as JSON, with their keys; with 0, nothing is shared. `lengthOf`: returns the length
 * of a result, or an estimate.
 */
export function createSharedResults<T>(
  version: () => number,
  maxBytes: number,
  lengthOf: (result: T) => number = lengthOfJson,
): SharedResults<T> {
  if (maxBytes === 0) return { version, get: (_key, _version, compute) => compute() }
  const state: State<T> = {
    version: version(),
    results: new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ result }, key) => key.length + lengthOf(result),
    }),
    computing: new Map(),
  }
  return {
    version,
    async get(key, of, compute) {
      // The caller may have read older rows, so its result belongs to no version.
      if (of !== version()) return compute()
      if (of !== state.version) {
        state.results.clear()
        state.computing.clear()
        state.version = of
      }
      const known = state.results.get(key)
      if (known !== undefined) return known.result
      return state.computing.get(key) ?? start(state, version, key, compute)
    },
  }
}

/** Returns an estimate of the length of a value as JSON, in a fraction of the time of making it. */
function lengthOfJson(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let length = 2
  if (Array.isArray(value)) for (const item of value) length += lengthOfJson(item) + 1
  else for (const [name, field] of Object.entries(value)) length += name.length + 4 + lengthOfJson(field)
  return length
}

async function start<T>(
  { version: of, results, computing }: State<T>,
  version: () => number,
  key: string,
  compute: () => Promise<T>,
): Promise<T> {
  const computed = compute()
  computing.set(key, computed)
  try {
    const result = await computed
    // The result may or may not include a write in between, so it is not kept.
    if (version() === of) results.set(key, { result })
    return result
  } finally {
    if (computing.get(key) === computed) computing.delete(key)
  }
}
