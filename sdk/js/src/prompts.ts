import type { Entries, Entry } from './entries.ts'
import { invalid, PromptdeckError } from './errors.ts'
import type { Loader } from './loader.ts'
import type { Settings } from './options.ts'
import type { Disk } from './platform.ts'
import { now } from './timers.ts'
import type { Prompt, ServedPrompt, Source } from './types.ts'

export type PromptsDeps = {
  readonly settings: Settings
  readonly entries: Entries
  readonly loader: Loader
  readonly disk: Disk
  readonly line: () => number | null
}

export type Prompts = {
  /** @throws PromptdeckError if neither the service nor a copy has the prompt. */
  get(key: string): Promise<Prompt>
}

const from = (prompt: ServedPrompt, source: Source): Prompt => ({ ...prompt, source })

/** In UTF-16 code units. */
const longestKey = 200

/**
 * Returns the key in Unicode normalization form C, as the service stores and announces it.
 * @throws PromptdeckError `Invalid` for a value that cannot be a key.
 */
export function checkKey(given: unknown): string {
  const key = typeof given === 'string' ? given.normalize('NFC') : given
  const isText = typeof key === 'string' && key !== '' && key.length <= longestKey
  // Segments of dots would change the path of the request.
  if (isText && !key.split('/').some((part) => part === '.' || part === '..')) return key
  throw invalid(`A key is a text of 1 to ${longestKey} characters, without the parts "." and "..".`)
}

/** Looks prompts up in memory, the service, the disk and the fallbacks, in that order. */
export function createPrompts(deps: PromptsDeps): Prompts {
  const { settings, entries, loader, disk, line } = deps
  const { timings, fallbacks } = settings

  const isFresh = (entry: Entry, held: NonNullable<Entry['held']>): boolean =>
    (entry.isCurrent && line() !== null) || now() - held.at < timings.staleMs

  /** Returns the copy on disk or the fallback when the service gave no result. */
  const standIn = async (entry: Entry, error: PromptdeckError): Promise<Prompt> => {
    const copy = await disk.read(entry.key)
    // The service may have replied meanwhile.
    if (entry.held !== null) return from(entry.held.prompt, 'network')
    if (entry.missing !== null) throw entry.missing.error
    const found = copy ?? fallbacks.get(entry.key)
    if (found === undefined) throw error
    entry.standIn = found
    return from(found, copy === null ? 'fallback' : 'disk')
  }

  const get = async (given: string): Promise<Prompt> => {
    const entry = entries.of(checkKey(given))
    const { held } = entry
    if (held !== null) {
      // No caller waits for this one; it can throw only `Closed`, which needs no handling.
      if (!isFresh(entry, held) && entry.failures.until <= now()) loader.load(entry).catch(() => undefined)
      return from(held.prompt, 'memory')
    }
    if (entry.missing !== null && entry.missing.until > now()) throw entry.missing.error
    if (entry.lastError !== null && entry.failures.until > now()) return standIn(entry, entry.lastError)
    const answer = await loader.load(entry)
    if (answer.kind === 'prompt') return from(answer.prompt, 'network')
    if (answer.kind === 'same' && entry.held !== null) return from(entry.held.prompt, 'network')
    if (answer.kind === 'missing') throw answer.error
    return standIn(entry, answer.kind === 'failed' ? answer.error : unclear())
  }

  return { get }
}

const unclear = (): PromptdeckError =>
  new PromptdeckError('Unavailable', 'The service gave no clear answer. Try again.')
