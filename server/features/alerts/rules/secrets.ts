import type { Vault } from '../../../secrets/vault.ts'
import type { RuleRow } from './rules.store.ts'

/** The purpose to which the secret of a webhook is bound. */
const purpose = 'webhook_secret'
const ownerOf = (alertId: string): string => `alert:${alertId}`

export const sealSecret = (vault: Vault, alertId: string, secret: string): Promise<string> =>
  vault.seal(ownerOf(alertId), purpose, secret)

const openSecret = (vault: Vault, alertId: string, sealed: string) =>
  vault.open(ownerOf(alertId), purpose, sealed)

export type Secrets =
  /** The current secret, and the previous one while it is valid. */
  { readonly texts: readonly [string, ...string[]] } | { readonly problem: string }

/** Returns the secrets that sign the deliveries of an alert. */
export function secretsOf(vault: Vault, row: RuleRow, now: Date): Secrets {
  const { id, webhook_secret: sealed, webhook_previous_secret: previous } = row
  if (sealed === null) return { problem: 'The webhook has no secret; set one.' }
  const current = openSecret(vault, id, sealed)
  if ('problem' in current) return { problem: `The secret cannot be read: ${current.problem}.` }
  if (previous === null || (row.webhook_previous_until ?? 0) <= now.getTime())
    return { texts: [current.text] }
  const opened = openSecret(vault, id, previous)
  return { texts: 'text' in opened ? [current.text, opened.text] : [current.text] }
}
