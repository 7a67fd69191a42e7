import type { UpdateAlertBody } from '../../../../contract/alerts/alert.ts'
import { hasRole, permissionRoles } from '../../../../contract/common/roles.ts'
import type { Context } from '../../../lib/context.ts'
import { dayMs } from '../../../lib/durations.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import type { Vault } from '../../../secrets/vault.ts'
import type { RuleRow } from './rules.store.ts'
import { sealSecret, secretsOf } from './secrets.ts'

export type WebhookDeps = {
  readonly vault: Vault
  /** Returns why an address may not be called; null if it may. */
  readonly refusalOf: (address: string, options: { isLocal: boolean }) => Promise<string | null>
}

type Body = UpdateAlertBody['webhook']
export type WebhookColumns = Pick<
  RuleRow,
  | 'webhook_url'
  | 'webhook_local'
  | 'webhook_secret'
  | 'webhook_secret_set_at'
  | 'webhook_previous_secret'
  | 'webhook_previous_until'
>

/** Time after a change in which the previous secret also signs, in milliseconds. */
const overlapMs = dayMs

export const noWebhook: WebhookColumns = {
  webhook_url: null,
  webhook_local: 0,
  webhook_secret: null,
  webhook_secret_set_at: null,
  webhook_previous_secret: null,
  webhook_previous_until: null,
}

/** Returns the columns of the webhook after a change. Throws a 422 that names the field, or a 403. */
export async function planWebhook(
  deps: WebhookDeps,
  ctx: Context,
  before: RuleRow,
  body: Body,
): Promise<Partial<WebhookColumns>> {
  if (body === undefined) return {}
  if (body === null) return noWebhook
  const address = body.url ?? before.webhook_url
  if (address === null) throw invalid('webhook.url', 'Set the address of the webhook')
  const isLocal = body.local ?? before.webhook_local === 1
  const url = await allowedAddress(deps, ctx, before, { address, isLocal })
  const isOtherOrigin = before.webhook_url !== null && originOf(before.webhook_url) !== originOf(url)
  return {
    webhook_url: url,
    webhook_local: Number(isLocal),
    ...(await planSecret(deps, ctx, before, { secret: body.secret, isOtherOrigin })),
  }
}

export const originOf = (address: string): string => new URL(address).origin

/** Returns the address in its normal form, if this caller may point the service at it. */
async function allowedAddress(
  { refusalOf }: WebhookDeps,
  ctx: Context,
  before: RuleRow,
  { address, isLocal }: { readonly address: string; readonly isLocal: boolean },
): Promise<string> {
  const url = URL.canParse(address) ? new URL(address).href : address
  if (url === before.webhook_url && isLocal === (before.webhook_local === 1)) return url
  if (isLocal) requireMayUseNetwork(ctx)
  const refusal = await refusalOf(url, { isLocal })
  if (refusal !== null) throw invalid('webhook.url', refusal)
  return url
}

/** Throws unless the caller may also set the addresses of providers on this machine and network. */
function requireMayUseNetwork({ actor }: Context): void {
  const requiredRole = permissionRoles['providers.manage']
  if (actor.role !== null && hasRole(actor.role, requiredRole)) return
  throw fail('auth.forbidden', {
    detail: `Only an ${requiredRole} can set a webhook on this machine or network. Use a public https address, or ask an ${requiredRole}.`,
    requiredRole,
  })
}

async function planSecret(
  { vault }: WebhookDeps,
  { now }: Context,
  before: RuleRow,
  { secret, isOtherOrigin }: { readonly secret: string | undefined; readonly isOtherOrigin: boolean },
): Promise<Partial<WebhookColumns>> {
  if (secret === undefined) {
    if (before.webhook_secret === null) throw invalid('webhook.secret', 'Set a secret')
    // The receiver at the old address has the current secret and could sign in its name.
    if (isOtherOrigin) throw invalid('webhook.secret', 'The host changed; set a new secret')
    return {}
  }
  const known = before.webhook_secret === null ? null : secretsOf(vault, before, now)
  if (known !== null && 'texts' in known && known.texts[0] === secret) {
    if (isOtherOrigin) throw invalid('webhook.secret', 'The host changed; set a new secret')
    return {}
  }
  const hasOverlap = before.webhook_secret !== null && !isOtherOrigin
  return {
    webhook_secret: await sealSecret(vault, before.id, secret),
    webhook_secret_set_at: now.getTime(),
    webhook_previous_secret: hasOverlap ? before.webhook_secret : null,
    webhook_previous_until: hasOverlap ? now.getTime() + overlapMs : null,
  }
}
