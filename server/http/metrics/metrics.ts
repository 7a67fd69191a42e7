import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Run } from '../../../contract/runs/run.ts'
import type { Db } from '../../db/types.ts'
import type { ModelLoad } from '../../models/model.ts'
import type { ExportCounts } from '../../telemetry/export/run-exporter.ts'
import { callMetrics } from './call-metrics.ts'

export type RequestMetrics = {
  observe(method: string, route: string, status: number, seconds: number): void
}

export type Metrics = RequestMetrics & {
  /** Records a model call of the service. */
  observeCall(run: Run): void
  /** Returns all metrics in the Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>
}

let ofProcess: Registry | undefined

/**
 * Returns the metrics of the process, one set for all services in it: prom-client never removes its observer of
 * garbage collection, which would keep the database of a closed service in memory.
 */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'promptdeck_' })
  }
  return ofProcess
}

/** Creates the metrics of the service. Label values are bounded: routes are patterns, never paths. */
export function createMetrics({
  db,
  clientCount,
  modelLoad,
  exportCounts,
}: {
  readonly db: Db
  readonly clientCount: () => number
  readonly modelLoad: ModelLoad
  /** Returns the numbers of runs that were sent to a collector of telemetry; null if none is set. */
  readonly exportCounts: () => ExportCounts | null
}): Metrics {
  // Create them now, so that they count from the start of the service and not from the first reading.
  processMetrics()
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'promptdeck_http_requests_total',
    help: 'Requests under /api and /gateway by route pattern and status',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const duration = new Histogram({
    name: 'promptdeck_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its reply',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `promptdeck_${name}`,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('live_clients', 'Open live connections', clientCount)
  gauge('provider_calls', 'Running calls of model providers', () => modelLoad().running)
  gauge('provider_queue', 'Calls that wait for a slot of their provider', () => modelLoad().waiting)
  gauge('store_used_bytes', 'Bytes of the database in use', () => db.status().usedBytes)
  gauge('store_disk_full', '1 while the disk is full', () => (db.status().diskFullSince === null ? 0 : 1))
  gauge('store_limit_bytes', 'Bytes the database may use', () => db.status().limitBytes)
  gauge(
    'store_committed_transactions',
    'Number of the newest committed transaction',
    () => db.status().committed,
  )
  gauge('store_synced_transactions', 'Number of the newest transaction on disk', () => db.status().synced)

  if (exportCounts() !== null) exportMetrics(registers, exportCounts)

  const observeCall = callMetrics(registers)

  return {
    observeCall,
    observe(method, route, status, seconds) {
      requests.inc({ method, route, status })
      duration.observe({ method, route }, seconds)
    },
    async render() {
      const texts = await Promise.all([processMetrics().metrics(), registry.metrics()])
      return { contentType: registry.contentType, text: texts.join('\n') }
    },
  }
}

/** Metrics of the runs that are sent to a collector of telemetry. */
function exportMetrics(registers: Registry[], counts: () => ExportCounts | null): void {
  const counter = (name: string, help: string, field: 'sent' | 'dropped') =>
    new Counter({
      name: `promptdeck_telemetry_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(counts()?.[field] ?? 0)
      },
    })
  counter('sent_runs', 'Runs that the collector accepted', 'sent')
  counter('dropped_runs', 'Runs that could not be sent to the collector', 'dropped')
  new Gauge({
    name: 'promptdeck_telemetry_queued_runs',
    help: 'Runs that wait to be sent to the collector',
    registers,
    collect() {
      this.set(counts()?.queued ?? 0)
    },
  })
}
