import type { DeliveryAttempt } from '../../../../contract/alerts/alert-events.ts'
import { signatureHeader } from '../../../../contract/alerts/alert-events.ts'
import type { Clock } from '../../../lib/clock.ts'
import { plainText } from '../../../lib/text/plain-text.ts'
import { OutboundRefused } from '../../../outbound/targets.ts'
import type { Vault } from '../../../secrets/vault.ts'
import type { RuleRow } from '../rules/rules.store.ts'
import { secretsOf } from '../rules/secrets.ts'
import { signatureOf } from './signature.ts'

/** Time limit of an attempt, in milliseconds. */
const attemptLimitMs = 10_000

export type SendDeps = {
  readonly vault: Vault
  readonly clock: Clock
  /** Returns a guarded `fetch` that calls only public, or only local addresses. */
  readonly fetchOf: (options: { readonly isLocal: boolean }) => typeof globalThis.fetch
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Returns why a reply is not a delivery; null if it is. */
function refusalOfStatus(status: number): string | null {
  if (isSuccess(status)) return null
  if (status >= 300 && status < 400) return `The receiver replied ${status}; redirects are not followed`
  return `The receiver replied ${status}`
}

/** Returns the reason of a failed request for the delivery log. */
function describeFailure(error: unknown): string {
  if (error instanceof OutboundRefused) return error.message
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `The receiver did not reply within ${attemptLimitMs / 1000} s`
  }
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  if (code === 'ETIMEDOUT') return 'The receiver did not reply in time'
  if (code === 'ENOTFOUND') return 'The host was not found'
  return `The receiver could not be reached${code === null ? '' : ` (${plainText(code, 40)})`}`
}

/**
 * Sends one signed request to the webhook of an alert. Follows no redirects and ignores the body of the reply.
 * Returns null if `signal` ended the attempt.
 */
export async function send(
  { vault, clock, fetchOf }: SendDeps,
  rule: RuleRow,
  body: string,
  signal: AbortSignal,
): Promise<DeliveryAttempt | null> {
  const at = clock.now()
  const startedMs = performance.now()
  const attempt = (status: number | null, error: string | null): DeliveryAttempt => ({
    at: at.toISOString(),
    status,
    error,
    duration_ms: Math.round(performance.now() - startedMs),
  })
  const secrets = secretsOf(vault, rule, at)
  if ('problem' in secrets) return attempt(null, secrets.problem)
  if (rule.webhook_url === null) return attempt(null, 'The alert has no webhook')
  try {
    const response = await fetchOf({ isLocal: rule.webhook_local === 1 })(rule.webhook_url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [signatureHeader]: signatureOf(secrets.texts, at, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptLimitMs)]),
    })
    await response.body?.cancel()
    return attempt(response.status, refusalOfStatus(response.status))
  } catch (error) {
    return signal.aborted ? null : attempt(null, describeFailure(error))
  }
}
