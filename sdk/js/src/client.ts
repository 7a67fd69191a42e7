import { closed, PromptdeckError } from './core/errors.ts'
import type { ClientOptions } from './core/options.ts'
import type { Platform } from './core/platform.ts'
import type {
  Catalog,
  CatalogOf,
  EventName,
  Listener,
  Message,
  PlaceholderValues,
  Prompt,
  Run,
} from './core/types.ts'
import { within } from './lib/timers.ts'
import { createParts, type Parts } from './parts.ts'
import { renderMessages } from './prompts/messages.ts'
import { checkKey } from './prompts/prompts.ts'
import { renderTemplate } from './prompts/render.ts'
import { type WrapOptions, wrapCall } from './runs/wrap.ts'

/**
 * One app's connection to one Promptdeck service. After `close`, all methods except `on` and `close` throw
 * `Closed`.
 */
export class BaseClient<Prompts extends CatalogOf<Prompts> = Catalog> {
  readonly #parts: Parts
  readonly #platform: Platform
  #isWatching = false
  #closing: Promise<number> | null = null

  constructor(options: ClientOptions, platform: Platform) {
    this.#platform = platform
    this.#parts = createParts(options, platform)
  }

  /**
   * Returns the prompt served under a key: from memory if it is current, else from the service, else from a
   * copy.
   * @throws PromptdeckError `NotFound`; `Unavailable`, `Unauthorized` or `Forbidden` if there is no copy
   *   either.
   */
  async getPrompt<Key extends keyof Prompts & string>(key: Key): Promise<Prompt<Key>> {
    this.#check()
    const prompt = await this.#parts.prompts.get(key)
    return prompt as Prompt<Key>
  }

  /** Renders the text of the prompt that `getPrompt` returns. For a chat, use `renderMessages`. */
  async render<Key extends keyof Prompts & string>(key: Key, variables: Prompts[Key]): Promise<string> {
    const prompt = await this.getPrompt(key)
    return renderTemplate(prompt.content, variables as Readonly<Record<string, unknown>>, prompt.variables)
  }

  /**
   * Renders the messages of the prompt that `getPrompt` returns. A text becomes one user message.
   * `placeholders` are the lists of messages to insert, such as the history of a conversation.
   * @throws PromptdeckError `Invalid` if a placeholder is no list of messages.
   */
  async renderMessages<Key extends keyof Prompts & string>(
    key: Key,
    variables: Prompts[Key],
    placeholders: PlaceholderValues = {},
  ): Promise<Message[]> {
    const { messages, content, variables: declared } = await this.getPrompt(key)
    const template = messages ?? [{ role: 'user', content }]
    return renderMessages(template, variables as Readonly<Record<string, unknown>>, declared, placeholders)
  }

  /**
   * Fetches the given keys, or all served prompts, so that later calls need not wait. Takes at most
   * `requestMs`.
   * @throws PromptdeckError if nothing could be fetched and no copy exists.
   */
  prefetch(keys?: readonly (keyof Prompts & string)[]): Promise<void> {
    return endedByClose(this.#prefetch(keys))
  }

  async #prefetch(keys?: readonly string[]): Promise<void> {
    this.#check()
    const { prefetch } = this.#parts
    await (keys === undefined ? prefetch.all() : prefetch.some(keys))
    this.#check()
  }

  /**
   * Opens the live connection and keeps reconnecting. Resolves once it is open, or after `requestMs` without
   * it. Prompts in memory are updated; `keys` are followed even before their first fetch.
   */
  watch(keys: readonly (keyof Prompts & string)[] = []): Promise<void> {
    return endedByClose(this.#watch(keys))
  }

  async #watch(keys: readonly string[]): Promise<void> {
    this.#check()
    const { entries, live, watch, timers, timings, connectWaiters } = this.#parts
    const checked = keys.map(checkKey)
    const open = await this.#platform.sockets(this.#parts.settings)
    this.#check()
    for (const key of checked) entries.of(key).isWatched = true
    if (!this.#isWatching) {
      this.#isWatching = true
      watch.start()
      live.start(open)
    }
    if (live.connectionNumber() !== null) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        connectWaiters.delete(done)
        cancel()
        resolve()
      }
      const cancel = timers.after(timings.requestMs, done, { keepsAlive: true })
      connectWaiters.add(done)
    })
    this.#check()
  }

  /** Adds a listener; returns a function that removes it. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    return this.#parts.events.on(name, listener)
  }

  /**
   * Reports a model call in the background. Returns its `client_run_id`.
   * @throws PromptdeckError `Invalid` immediately for a run that the service would reject.
   */
  reportRun(run: Run): string {
    this.#check()
    return this.#parts.reports.add(run)
  }

  /** Returns a function that calls `call`, and measures and reports every call. */
  wrap<Args extends readonly unknown[], Result>(
    call: (...args: Args) => Result,
    options: WrapOptions<Awaited<Result>>,
  ): (...args: Args) => Result {
    this.#check()
    return wrapCall(call, options, { report: (run) => this.reportRun(run), onError: this.#parts.onError })
  }

  /** Sends pending reports, for at most `requestMs`. Returns how many remain. */
  async flush(): Promise<number> {
    this.#check()
    return this.#parts.reports.flush(this.#parts.timings.requestMs)
  }

  /** Replaces the token for all later requests. */
  setToken(token: string): void {
    this.#check()
    this.#parts.setToken(token)
  }

  /**
   * Sends pending reports, for at most `requestMs`, then closes the client. Returns how many could not be
   * sent.
   */
  close(): Promise<number> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<number> {
    const { promptHttp, disk, events, live, reports, reportHttp, timers, timings, connectWaiters } =
      this.#parts
    this.#parts.stopHideListener()
    events.mute()
    promptHttp.stop()
    const [unsent] = await Promise.all([reports.flush(timings.requestMs), live.stop()])
    reports.reportDropped()
    events.stop()
    reportHttp.stop()
    await within(timers, timings.requestMs, disk.settled())
    for (const done of connectWaiters) done()
    timers.stop()
    return unsent
  }

  #check(): void {
    if (this.#closing !== null) throw closed()
  }
}

/** Marks a rejection with `Closed` as handled: an app that closes the client need not have awaited the call. */
function endedByClose(call: Promise<void>): Promise<void> {
  const marked = call.catch((error: unknown) => {
    if (error instanceof PromptdeckError && error.code === 'Closed') marked.catch(() => undefined)
    throw error
  })
  return marked
}
