import { invalid, PromptdeckError } from '../core/errors.ts'
import type { Settings } from '../core/options.ts'
import type { Disk } from '../core/platform.ts'
import type { Prompt, ServedPrompt, Source } from '../core/types.ts'
import { now } from '../lib/timers.ts'
import type { Entries, Entry } from './entries.ts'
import type { Loader } from './loader.ts'

export type PromptsDeps = {
  readonly settings: Settings
  readonly entries: Entries
  readonly loader: Loader
  readonly disk: Disk
  readonly connectionNumber: () => number | null
}

export type Prompts = {
  /** @throws PromptdeckError if neither the service nor a copy has the prompt. */
  get(key: string): Promise<Prompt>
}

const withSource = (prompt: ServedPrompt, source: Source): Prompt => ({ ...prompt, source })

/** In UTF-16 code units. */
const maxKeyLength = 200

/**
 * Returns the key in Unicode normalization form C, as the service stores and announces it.
 * @throws PromptdeckError `Invalid` for a value that cannot be a key.
 */
export function checkKey(value: unknown): string {
  const key = typeof value === 'string' ? value.normalize('NFC') : value
  const isText = typeof key === 'string' && key !== '' && key.length <= maxKeyLength
  // Segments of dots would change the path of the request; a URL cannot contain a lone surrogate.
  if (isText && !/(^|\/)\.\.?(\/|$)|\p{Surrogate}/u.test(key)) return key
  throw invalid(
    `A key must be a string of 1 to ${maxKeyLength} characters, without the segments "." and "..".`,
  )
}

/** Looks prompts up in memory, the service, the disk and the fallbacks, in that order. */
export function createPrompts(deps: PromptsDeps): Prompts {
  const { settings, entries, loader, disk, connectionNumber } = deps
  const { timings, fallbacks } = settings

  const isFresh = (entry: Entry, cached: NonNullable<Entry['cached']>): boolean =>
    (entry.isCurrent && connectionNumber() !== null) || now() - cached.at < timings.staleMs

  /** Returns the copy on disk or the fallback when the service gave no result. */
  const substitute = async (entry: Entry, error: PromptdeckError): Promise<Prompt> => {
    const copy = await disk.read(entry.key)
    // The service may have replied meanwhile.
    if (entry.cached !== null) return withSource(entry.cached.prompt, 'network')
    if (entry.missing !== null) throw entry.missing.error
    const found = copy ?? fallbacks.get(entry.key)
    if (found === undefined) throw error
    entry.substitute = found
    return withSource(found, copy === null ? 'fallback' : 'disk')
  }

  /** Returns the result of a request to the service. */
  const fetchPrompt = async (entry: Entry): Promise<Prompt> => {
    const result = await loader.load(entry)
    if (result.kind === 'prompt') return withSource(result.prompt, 'network')
    if (result.kind === 'same' && entry.cached !== null) return withSource(entry.cached.prompt, 'network')
    if (result.kind === 'missing') throw result.error
    return substitute(entry, result.kind === 'failed' ? result.error : interrupted())
  }

  const get = async (requestedKey: string): Promise<Prompt> => {
    const entry = entries.of(checkKey(requestedKey))
    const { cached, missing, lastError } = entry
    const mayFetch = entry.failures.until <= now()
    if (cached !== null) {
      // No caller waits for this one; it can throw only `Closed`, which needs no handling.
      if (!isFresh(entry, cached) && mayFetch) loader.load(entry).catch(() => undefined)
      return withSource(cached.prompt, 'memory')
    }
    if (missing !== null && missing.until > now()) throw missing.error
    return lastError !== null && !mayFetch ? substitute(entry, lastError) : fetchPrompt(entry)
  }

  return { get }
}

const interrupted = (): PromptdeckError =>
  new PromptdeckError('Unavailable', 'The request was interrupted by a change of the prompt. Try again.')
