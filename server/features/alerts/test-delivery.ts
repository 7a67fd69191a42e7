import type { AlertTest } from '../../../contract/alerts/alerts.ts'
import type { Db } from '../../db/types.ts'
import { invalid } from '../../lib/fail.ts'
import { type SendDeps, send } from './delivery/send.ts'
import { linkAt } from './events/link.ts'
import { type EventDeps, webhookText } from './events/write-event.ts'
import type { RuleRow } from './rules/rules.store.ts'

/** Sends a test delivery once. It is not part of the history. */
export async function sendTest(
  deps: SendDeps & EventDeps & { readonly db: Db },
  rule: RuleRow,
): Promise<AlertTest> {
  if (rule.webhook_url === null) throw invalid('webhook', 'The alert has no webhook')
  const at = deps.clock.now()
  const link = await linkAt(deps.db.read, rule, at)
  const body = webhookText(deps, rule, { id: deps.newId(), type: 'alert.test', at, value: null, link })
  // No signal of its own: the time limit of an attempt ends it.
  const attempt = await send(deps, rule, body, new AbortController().signal)
  if (attempt === null) throw new Error('A test delivery was aborted')
  const { status, error, duration_ms } = attempt
  const isOk = error === null
  return {
    ok: isOk,
    message: isOk ? `Delivered: the receiver replied ${status}.` : `Not delivered. ${error}.`,
    status,
    duration_ms,
  }
}
