import { createEntries } from './entries.ts'
import { invalid, type PromptdeckError } from './errors.ts'
import { createEvents } from './events.ts'
import { createHttp } from './http.ts'
import { createLive, type Live } from './live.ts'
import { createLoader } from './loader.ts'
import { type ClientOptions, readOptions, readToken } from './options.ts'
import type { Platform } from './platform.ts'
import { createPrefetch } from './prefetch.ts'
import { createPrompts } from './prompts.ts'
import { createReports } from './reports.ts'
import { createService } from './service.ts'
import { createTimers } from './timers.ts'
import { uuid } from './uuid.ts'
import { version } from './version.ts'
import { createWatch, type Watch } from './watch.ts'

/** Creates and connects the parts of one client. */
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
    entries,
    service,
    disk,
    timers,
    timings,
    line,
    onUpdate: (update) => events.emit('update', update),
    onLoaded: (entry, seq) => watch.acknowledge(entry, seq),
  })
  const prompts = createPrompts({ settings, entries, loader, disk, line })
  const prefetch = createPrefetch({ settings, entries, loader, disk, timers, prompts })
  const reports = createReports({ http: reporting, token, workspace, timings, timers, onError })
  /** Callbacks of callers that wait for the first connection. */
  const awaiting = new Set<() => void>()

  const live: Live = createLive({
    url: `${server.replace(/^http/, 'ws')}/ws`,
    timings,
    timers,
    token,
    introduction: () => ({
      client: platform.clientType,
      app: appName,
      namespace,
      workspace,
      instance_id: instanceId,
      sdk_version: version,
      keys: watch.keys(),
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
      // A connection that never opened has no disconnect event, except when the service refused the client.
      const isRefusal = code >= 4000
      if (hadHello || isRefusal) events.emit('disconnect', { code, reason: hide(reason) })
    },
  })
  const watch: Watch = createWatch({
    settings,
    entries,
    loader,
    live,
    timers,
    onResync: (seq) => events.emit('resync', { seq }),
  })
  const hide = (text: string): string => (current === null ? text : text.replaceAll(current, '…'))

  return {
    timings,
    events,
    entries,
    disk,
    prompts,
    prefetch,
    reports,
    live,
    watch,
    timers,
    asking,
    reporting,
    awaiting,
    onError,
    setToken(given: string): void {
      current = readToken(given)
      for (const entry of entries.all()) {
        if (entry.lastError?.code !== 'Unauthorized' && entry.lastError?.code !== 'Forbidden') continue
        entry.failures.succeeded()
        if (entry.isDue) loader.refresh(entry)
      }
      prefetch.tokenChanged()
      live.tokenChanged()
      reports.tokenChanged()
    },
  }
}

export type Parts = ReturnType<typeof createParts>
