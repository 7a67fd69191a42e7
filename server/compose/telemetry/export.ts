import type { Config } from '../../config.ts'
import { serviceVersion } from '../../lib/version.ts'
import { createOutboundFetch } from '../../outbound/fetch.ts'
import { OutboundRefused, type Resolve } from '../../outbound/targets.ts'
import { createRunExporter, type RunExporter } from '../../telemetry/export/run-exporter.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'

/** Maximum size of a reply of the collector, of which only the number of rejected spans is read. */
const maxReplyBytes = 256 * 1024

export type TelemetryExport = Pick<RunExporter, 'add' | 'counts'> & {
  /**
   * Begins to send, unless the collector is this service. `url`: the address at which this service listens.
   */
  start(url: string): void
}

/** Creates the exporter of runs; null if no collector is configured. */
export function composeTelemetryExport(
  { otel, publicUrl }: Config,
  { clock, every, logger, resolve }: ComposeDeps,
  storeId: string | null,
  onClose: OnClose,
): TelemetryExport | null {
  if (otel === null) return null
  const { endpoint, headers, encoding, timeoutMs, serviceName } = otel
  const exporter = createRunExporter({
    sending: { fetch: createCollectorFetch(endpoint, resolve), endpoint, headers, encoding, timeoutMs },
    exporter: { serviceName, version: serviceVersion, store: storeId ?? '' },
    clock,
    every,
    logger,
  })
  let isActive = true
  onClose(() => exporter.close())
  return {
    add: (runs) => isActive && exporter.add(runs),
    counts: exporter.counts,
    start(url) {
      if ([url, publicUrl].some((own) => own !== null && isSameService(own, endpoint))) {
        isActive = false
        logger.warn('OTEL_EXPORTER_OTLP_ENDPOINT is this service, so runs are not sent')
      } else exporter.start()
    },
  }
}

/**
 * Returns a `fetch` for the address that the operator set: anywhere over TLS, and over plain HTTP in the
 * local network only. The guard's rules for reserved addresses apply to both.
 */
function createCollectorFetch(endpoint: string, resolve: Resolve): typeof globalThis.fetch {
  const options = { owner: 'collector', resolve, maxReplyBytes } as const
  const local = createOutboundFetch({ ...options, isLocal: true })
  if (new URL(endpoint).protocol === 'http:') return local
  const remote = createOutboundFetch({ ...options, isLocal: false })
  return (input, init) =>
    remote(input, init).catch((error: unknown) => {
      if (error instanceof OutboundRefused) return local(input, init)
      throw error
    })
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function isSameService(own: string, other: string): boolean {
  const [a, b] = [new URL(own), new URL(other)]
  const isSameHost = a.hostname === b.hostname || (loopback.has(a.hostname) && loopback.has(b.hostname))
  return isSameHost && a.port === b.port && a.protocol === b.protocol
}
