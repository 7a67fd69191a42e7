import { createEntries } from './entries.ts'
import { closed, invalid, type PromptdeckError } from './errors.ts'
import { createEvents } from './events.ts'
import { createHttp } from './http.ts'
import { createLive, type Live } from './live.ts'
import { createLoader } from './loader.ts'
import { type ClientOptions, readOptions, readToken } from './options.ts'
import type { Platform } from './platform.ts'
import { checkKey, createPrompts } from './prompts.ts'
import { renderTemplate } from './render.ts'
import { createReports } from './reports.ts'
import { createService } from './service.ts'
import { createTimers } from './timers.ts'
import type { Catalog, EventName, Listener, Prompt, Run } from './types.ts'
import { uuid } from './uuid.ts'
import { version } from './version.ts'
import { createWatch, type Watch } from './watch.ts'
import { type WrapOptions, wrapCall } from './wrap.ts'

/** Puts the parts of one client together. */
export function createParts(options: ClientOptions, platform: Platform) {
  const settings = readOptions(options, platform.env)
  const { server, namespace, workspace, appName, timings } = settings
  let current = settings.token
  const token = (): string | null => current
  const timers = createTimers()
  const events = createEvents()
  const entries = createEntries(timings)
  const onError = (error: PromptdeckError): void => events.emit('error', { error })
  const disk = platform.openDisk(settings, (why) =>
    onError(
      invalid(`Prompts cannot be kept on disk (${why}). Set cacheDir to a folder that can be written.`),
    ),
  )
  const instanceId = uuid()
  const headers = {
    'promptdeck-instance': instanceId,
    ...(platform.userAgent !== null && { 'user-agent': platform.userAgent }),
  }
  const http = { server, token, headers, requestMs: timings.requestMs, timers }
  const asking = createHttp(http)
  const reporting = createHttp(http)
  const service = createService({ http: asking, token, namespace, workspace })
  const line = (): number | null => live.line()
  const loader = createLoader({
    ...{ entries, service, disk, timers, timings, line },
    onUpdate: (update) => events.emit('update', update),
    onLoaded: (entry, seq) => watch.acknowledge(entry, seq),
  })
  const prompts = createPrompts({ settings, entries, loader, service, disk, line })
  const reports = createReports({ http: reporting, token, workspace, timings, timers, onError })
  /** Those who wait for the first connection. */
  const awaiting = new Set<() => void>()

  const live: Live = createLive({
    ...{ url: `${server.replace(/^http/, 'ws')}/ws`, timings, timers, token },
    introduction: () => ({
      ...{ client: platform.clientType, app: appName, namespace, workspace },
      ...{ instance_id: instanceId, sdk_version: version, keys: watch.keys() },
    }),
    onConnect: (clientId, seq, isResumed) => {
      events.emit('connect', { clientId, seq })
      watch.connected(isResumed)
      for (const done of awaiting) done()
    },
    onFrame: (frame) => watch.frame(frame),
    onOddity: () =>
      onError(invalid('The service sent a frame that is not known here. Is this package too old?')),
    onEnd: ({ code, reason, hadHello }, heardAt) => {
      if (heardAt !== null) watch.disconnected(heardAt)
      // What never stood does not end; but that the service will not have us is told.
      const isRefusal = code >= 4000
      if (hadHello || isRefusal) events.emit('disconnect', { code, reason: hide(reason) })
    },
  })
  const watch: Watch = createWatch({
    ...{ settings, entries, loader, live, timers },
    onResync: (seq) => events.emit('resync', { seq }),
  })
  const hide = (text: string): string => (current === null ? text : text.replaceAll(current, '…'))

  return {
    ...{
      timings,
      events,
      entries,
      prompts,
      reports,
      live,
      watch,
      timers,
      asking,
      reporting,
      awaiting,
      onError,
    },
    setToken(given: string): void {
      current = readToken(given)
      for (const entry of entries.all()) {
        const isRefused = entry.lastError?.code === 'Unauthorized' || entry.lastError?.code === 'Forbidden'
        if (isRefused) entry.failures.succeeded()
      }
      live.tokenChanged()
      reports.tokenChanged()
    },
  }
}

export type Parts = ReturnType<typeof createParts>

/** One app's connection to one Promptdeck service. All its calls but `on` and `close` throw `Closed` after `close`. */
export class BaseClient<Prompts extends Catalog = Catalog> {
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
    return renderTemplate(prompt.content, variables, prompt.variables)
  }

  /** Fetches keys, or all that are served, so that later calls need not wait. Throws when nothing could be had at all. */
  async prefetch(keys?: readonly (keyof Prompts & string)[]): Promise<void> {
    this.#check()
    const { prompts } = this.#parts
    await (keys === undefined ? prompts.prefetchAll() : prompts.prefetch(keys))
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
    const { asking, events, live, reports, reporting, timers, timings, awaiting } = this.#parts
    events.hush()
    asking.stop()
    const [unsent] = await Promise.all([reports.flush(timings.requestMs), live.stop()])
    events.stop()
    reporting.stop()
    for (const done of awaiting) done()
    timers.stop()
    return unsent
  }

  #check(): void {
    if (this.#closing !== null) throw closed()
  }
}
