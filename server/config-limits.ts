import { whole } from './config-values.ts'

/** Limits that share resources between callers. */
export type FairnessLimits = {
  /**
   * Total number of live connections. At the limit, a new connection of a caller with few replaces one of the
   * caller with the most.
   */
  readonly liveConnections: number
  readonly liveConnectionsPerSession: number
  readonly eventStreamsPerPrincipal: number
  /** Maximum number of calls that wait for a slot of one provider. */
  readonly providerQueue: number
  readonly providerQueuePerPrincipal: number
  /** Maximum number of TCP connections of one remote address; loopback and trusted proxies are exempt. */
  readonly connectionsPerAddress: number
  readonly requestsPerMinute: number
  /** Maximum number of unread replies of one connection; further requests wait. */
  readonly unreadReplies: number
  /** Time without progress in sending a reply after which the connection is closed, in milliseconds. */
  readonly unreadReplyMs: number
  /** Bodies of requests to the gateway, in bytes. */
  readonly gatewayBodies: { readonly maxBytes: number; readonly maxTotalBytes: number }
}

/** The environment variables of the limits. Ordinary use does not reach the defaults. */
export const limitVariables = {
  LIVE_CONNECTIONS: whole(1, 100_000).default(2000),
  LIVE_CONNECTIONS_PER_SESSION: whole(1, 100_000).default(50),
  EVENT_STREAMS_PER_PRINCIPAL: whole(1, 100_000).default(1000),
  PROVIDER_QUEUE: whole(1, 1_000_000).default(5000),
  PROVIDER_QUEUE_PER_PRINCIPAL: whole(1, 1_000_000).default(1000),
  CONNECTIONS_PER_ADDRESS: whole(1, 100_000).default(512),
  REQUESTS_PER_MINUTE: whole(1, 100_000_000).default(300_000),
  UNREAD_REPLIES_PER_CONNECTION: whole(1, 100).default(2),
  UNREAD_REPLY_SECONDS: whole(1, 3600).default(60),
  GATEWAY_BODY_MB: whole(1, 1024).default(32),
  GATEWAY_BODIES_MB: whole(1, 16_384).default(256),
}

const mib = 1024 * 1024

type Values = { readonly [Name in keyof typeof limitVariables]: number }

export const limitsOf = (values: Values): FairnessLimits => ({
  liveConnections: values.LIVE_CONNECTIONS,
  liveConnectionsPerSession: values.LIVE_CONNECTIONS_PER_SESSION,
  eventStreamsPerPrincipal: values.EVENT_STREAMS_PER_PRINCIPAL,
  providerQueue: values.PROVIDER_QUEUE,
  providerQueuePerPrincipal: values.PROVIDER_QUEUE_PER_PRINCIPAL,
  connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
  requestsPerMinute: values.REQUESTS_PER_MINUTE,
  unreadReplies: values.UNREAD_REPLIES_PER_CONNECTION,
  unreadReplyMs: values.UNREAD_REPLY_SECONDS * 1000,
  gatewayBodies: {
    maxBytes: values.GATEWAY_BODY_MB * mib,
    maxTotalBytes: values.GATEWAY_BODIES_MB * mib,
  },
})
