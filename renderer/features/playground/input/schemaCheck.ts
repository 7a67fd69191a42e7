import type { JsonSchema } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'
import type { SchemaCheckReply, SchemaCheckRequest } from './schemaCheck.worker.ts'

/** Time limit in milliseconds. A pattern or reference in a schema can take exponential time. */
const timeoutMs = 2000

/**
 * Returns the reasons why a value does not match a schema; empty if it does. Runs in a worker that is
 * terminated at the time limit or when `signal` aborts, so the page stays responsive. Rejects if `signal`
 * aborts or the worker fails.
 */
export function schemaErrorsOf(
  schema: JsonSchema,
  value: unknown,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const worker = new Worker(new URL('./schemaCheck.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<readonly string[]>((resolve, reject) => {
    const timer = setTimeout(() => resolve([t('playground:validation.too_long')]), timeoutMs)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.addEventListener('error', ({ message }) => reject(new Error(message)))
    worker.addEventListener('message', ({ data }: MessageEvent<SchemaCheckReply>) => {
      clearTimeout(timer)
      resolve(
        'errors' in data ? data.errors : [t('playground:validation.bad_schema', { reason: data.badSchema })],
      )
    })
    worker.postMessage({ schema, value } satisfies SchemaCheckRequest)
  }).finally(() => worker.terminate())
}
