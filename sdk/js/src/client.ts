import { closed } from './errors.ts'
import type { ClientOptions } from './options.ts'
import { createParts, type Parts } from './parts.ts'
import type { Platform } from './platform.ts'
import { checkKey } from './prompts.ts'
import { renderTemplate } from './render.ts'
import { within } from './timers.ts'
import type { Catalog, CatalogOf, EventName, Listener, Prompt, Run } from './types.ts'
import { type WrapOptions, wrapCall } from './wrap.ts'

/** One app's connection to one Promptdeck service. All its calls but `on` and `close` throw `Closed` after `close`. */
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
   * The prompt served under a key, from memory when it is current, else from the service, else a copy.
   * @throws PromptdeckError `NotFound`; `Unavailable`, `Unauthorized` or `Forbidden` when there is no copy either.
   */
  async getPrompt<Key extends keyof Prompts & string>(key: Key): Promise<Prompt<Key>> {
    this.#check()
    const prompt = await this.#parts.prompts.get(key)
    return prompt as Prompt<Key>
  }

  /** `getPrompt`, and its template filled in. */
  async render<Key extends keyof Prompts & string>(key: Key, variables: Prompts[Key]): Promise<string> {
    const prompt = await this.getPrompt(key)
    return renderTemplate(prompt.content, variables as Readonly<Record<string, unknown>>, prompt.variables)
  }

  /**
   * Fetches keys, or all that are served, so that later calls need not wait; answers after `requestMs` at the latest.
   * @throws PromptdeckError when nothing could be had at all.
   */
  async prefetch(keys?: readonly (keyof Prompts & string)[]): Promise<void> {
    this.#check()
    const { prefetch } = this.#parts
    await (keys === undefined ? prefetch.all() : prefetch.some(keys))
    this.#check()
  }

  /**
   * Opens the live connection. Answers once it stands, or after `requestMs` without it; it goes on trying by itself.
   * What is held is followed; `keys` are followed even before they were fetched.
   */
  async watch(keys: readonly (keyof Prompts & string)[] = []): Promise<void> {
    this.#check()
    const { entries, live, watch, timers, timings, awaiting } = this.#parts
    const checked = keys.map(checkKey)
    const open = await this.#platform.sockets()
    this.#check()
    for (const key of checked) entries.of(key).isWatched = true
    if (!this.#isWatching) {
      this.#isWatching = true
      watch.start()
      live.start(open)
    }
    if (live.line() !== null) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        awaiting.delete(done)
        cancel()
        resolve()
      }
      const cancel = timers.after(timings.requestMs, done, { keepsAlive: true })
      awaiting.add(done)
    })
    this.#check()
  }

  /** Listens; answers how to stop. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    return this.#parts.events.on(name, listener)
  }

  /**
   * Reports a model call, in the background. Answers its `client_run_id`.
   * @throws PromptdeckError `Invalid` at once when the service could only refuse it.
   */
  reportRun(run: Run): string {
    this.#check()
    return this.#parts.reports.add(run)
  }

  /** The function, each call of which is timed and reported. */
  wrap<Args extends readonly unknown[], Result>(
    call: (...args: Args) => Result,
    options: WrapOptions<Awaited<Result>>,
  ): (...args: Args) => Result {
    this.#check()
    return wrapCall(call, options, { report: (run) => this.reportRun(run), onError: this.#parts.onError })
  }

  /** Sends what was reported, for at most `requestMs`. Answers how many still wait. */
  async flush(): Promise<number> {
    this.#check()
    return this.#parts.reports.flush(this.#parts.timings.requestMs)
  }

  /** Uses another token from now on. */
  setToken(token: string): void {
    this.#check()
    this.#parts.setToken(token)
  }

  /** Sends what was reported, for at most `requestMs`, and ends everything. Answers how many could not be sent. */
  close(): Promise<number> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<number> {
    const { asking, disk, events, live, reports, reporting, timers, timings, awaiting } = this.#parts
    events.hush()
    asking.stop()
    const [unsent] = await Promise.all([reports.flush(timings.requestMs), live.stop()])
    events.stop()
    reporting.stop()
    await within(timers, timings.requestMs, disk.settled())
    for (const done of awaiting) done()
    timers.stop()
    return unsent
  }

  #check(): void {
    if (this.#closing !== null) throw closed()
  }
}
