import { certificateProblem } from './core/certificate.ts'
import { invalid, PromptdeckError } from './core/errors.ts'
import { createEvents } from './core/events.ts'
import { type ClientOptions, readOptions } from './core/options.ts'
import type { Platform } from './core/platform.ts'
import { readToken } from './core/target.ts'
import { version } from './core/version.ts'
import { createHttp } from './http/http.ts'
import { createService } from './http/service.ts'
import { createTimers } from './lib/timers.ts'
import { uuid } from './lib/uuid.ts'
import { createLive, type Live, type LiveDeps } from './live/live.ts'
import { createEntries, type Entries } from './prompts/entries.ts'
import { createLoader, type Loader, type LoaderDeps } from './prompts/loader.ts'
import { createPrefetch } from './prompts/prefetch.ts'
import { createPrompts } from './prompts/prompts.ts'
import { createWatch, type Watch } from './prompts/watch.ts'
import { createReports, type Reports } from './runs/reports.ts'

export function createParts(options: ClientOptions, platform: Platform) {
  const base = createBase(options, platform)
  const { settings, timers, entries, events, disk, token, onError } = base
  const { timings } = settings
  const { loader, prompts, prefetch } = createFetching(base, {
    connectionNumber: () => live.connectionNumber(),
    onLoaded: (entry, seq) => watch.acknowledge(entry, seq),
  })
  const reports = createReports({ http: base.reportHttp, token, settings, timings, timers, onError })
  /** Callbacks of callers that wait for the first connection. */
  const connectWaiters = new Set<() => void>()
  const live: Live = createLive({
    url: `${settings.server.replace(/^http/, 'ws')}/ws`,
    timings,
    timers,
    token,
    helloFields: () => ({ ...base.helloFields, keys: watch.keys() }),
    ...connectionEvents(base, reports, () => watch, connectWaiters),
  })
  const onResync = (seq: number): void => events.emit('resync', { seq })
  const watch: Watch = createWatch({ settings, entries, loader, live, timers, onResync })
  const { promptHttp, reportHttp } = base
  return {
    settings: base.settings,
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
    promptHttp,
    reportHttp,
    connectWaiters,
    onError,
    stopHideListener: platform.onHide(() => reports.sendEarly()),
    setToken(newToken: string): void {
      base.setToken(readToken(newToken))
      retryRejected(entries, loader)
      prefetch.tokenChanged()
      live.tokenChanged()
      reports.retryNow()
    },
  }
}

/** Creates the parts that depend on no others: settings, token, timers, events, storage and HTTP. */
function createBase(options: ClientOptions, platform: Platform) {
  const settings = readOptions(options, platform)
  const { server, timings, namespace, workspace } = settings
  let current = settings.token
  const timers = createTimers()
  const events = createEvents()
  const onError = (error: PromptdeckError): void => events.emit('error', { error })
  const disk = platform.openDisk(settings, (reason) =>
    onError(invalid(`Prompts cannot be cached on disk (${reason}). Set cacheDir to a writable folder.`)),
  )
  const instanceId = uuid()
  const headers = {
    'promptdeck-instance': instanceId,
    ...(platform.userAgent !== null && { 'user-agent': platform.userAgent }),
  }
  const token = (): string | null => current
  const fetch = platform.fetch(settings)
  const http = { fetch, server, token, headers, requestMs: timings.requestMs, timers }
  const helloFields = {
    client: platform.clientType,
    app: settings.appName,
    namespace,
    workspace,
    instance_id: instanceId,
    sdk_version: version,
  }
  return {
    settings,
    timers,
    events,
    entries: createEntries(timings),
    disk,
    onError,
    token,
    setToken(newToken: string): void {
      current = newToken
    },
    helloFields,
    promptHttp: createHttp(http),
    reportHttp: createHttp(http),
  }
}

type Base = ReturnType<typeof createBase>

function createFetching(base: Base, callbacks: Pick<LoaderDeps, 'connectionNumber' | 'onLoaded'>) {
  const { settings, entries, disk, timers, token, events } = base
  const { timings, namespace, workspace } = settings
  const { connectionNumber } = callbacks
  const loader = createLoader({
    entries,
    service: createService({ http: base.promptHttp, token, namespace, workspace }),
    disk,
    timers,
    timings,
    onUpdate: (update) => events.emit('update', update),
    ...callbacks,
  })
  const prompts = createPrompts({ settings, entries, loader, disk, connectionNumber })
  const prefetch = createPrefetch({ settings, entries, loader, disk, timers, prompts })
  return { loader, prompts, prefetch }
}

/** Returns the callbacks of the live connection. */
function connectionEvents(
  { events, onError, token, settings }: Base,
  reports: Reports,
  watch: () => Watch,
  connectWaiters: ReadonlySet<() => void>,
): Pick<LiveDeps, 'onConnect' | 'onFrame' | 'onUnknownFrame' | 'onFailure' | 'onEnd'> {
  /** Reported once, not at each attempt to connect. */
  let reportedProblem: string | null = null
  const redact = (text: string): string => {
    const secret = token()
    return secret === null ? text : text.replaceAll(secret, '…')
  }
  return {
    onConnect(clientId, seq, isResumed) {
      reportedProblem = null
      events.emit('connect', { clientId, seq })
      watch().connected(isResumed)
      reports.retryNow()
      for (const done of connectWaiters) done()
    },
    onFrame: (frame) => watch().frame(frame),
    onUnknownFrame: () =>
      onError(
        invalid('The service sent an unknown frame. Check if a newer version of this package is available.'),
      ),
    onFailure(reason) {
      const problem = certificateProblem(reason, settings.server)
      if (problem === null || problem === reportedProblem) return
      reportedProblem = problem
      onError(new PromptdeckError('Unavailable', problem))
    },
    onEnd({ code, reason, hadHello }, lastReceivedAt) {
      if (lastReceivedAt !== null) watch().disconnected(lastReceivedAt)
      // A connection that never opened has no disconnect event, except when the service rejected the client.
      const isRejection = code >= 4000
      if (hadHello || isRejection) events.emit('disconnect', { code, reason: redact(reason) })
    },
  }
}

/** Allows prompts that the old token could not fetch to be fetched again. */
function retryRejected(entries: Entries, loader: Loader): void {
  for (const entry of entries.all()) {
    if (entry.lastError?.code !== 'Unauthorized' && entry.lastError?.code !== 'Forbidden') continue
    entry.failures.succeeded()
    if (entry.isDue) loader.refresh(entry)
  }
}

export type Parts = ReturnType<typeof createParts>
