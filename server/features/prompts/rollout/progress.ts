import type { Convergence, RolloutClient } from '../../../../contract/prompts/prompt-rollout.ts'
import type { KeyUser } from '../../../resources/key-users.ts'

export type ServedVersion = { readonly version: string; readonly at: Date }

/**
 * Returns the progress of a client. The latency is null for a client that connected after the publish,
 * because it received the version on connecting.
 */
export function progressOf(user: KeyUser, served: ServedVersion | null): RolloutClient {
  const { acked, connectedAt, disconnectedAt } = user
  const isCurrent = served === null || acked?.version === served.version
  const wasConnected = served !== null && connectedAt.getTime() <= served.at.getTime()
  const behindSince = served === null || isCurrent ? null : wasConnected ? served.at : connectedAt
  const latency =
    acked !== null && served !== null && isCurrent && wasConnected
      ? acked.at.getTime() - served.at.getTime()
      : null
  return {
    id: user.id,
    client_type: user.clientType,
    app: user.app,
    instance_id: user.instanceId,
    username: user.username,
    remote_addr: user.remoteAddr,
    connected_at: connectedAt.toISOString(),
    version: acked?.version ?? null,
    acked_at: acked?.at.toISOString() ?? null,
    current: isCurrent,
    behind_since: behindSince?.toISOString() ?? null,
    latency_ms: latency === null ? null : Math.max(0, latency),
    ...(disconnectedAt !== null && { disconnected_at: disconnectedAt.toISOString() }),
  }
}

/** Returns median and maximum of the known latencies; null without any. */
export function latencies(clients: readonly RolloutClient[]): Pick<Convergence, 'median_ms' | 'slowest_ms'> {
  const sorted = clients.flatMap(({ latency_ms: ms }) => ms ?? []).toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  if (low === undefined || high === undefined) return { median_ms: null, slowest_ms: null }
  return { median_ms: Math.round((low + high) / 2), slowest_ms: sorted.at(-1) ?? null }
}
