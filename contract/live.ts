import { z } from 'zod'
import { KeyText } from './common.ts'

/** The environments a client can watch by name; any other name is accepted with a warning. */
export const environments = ['dev', 'test', 'prod'] as const
export type Environment = (typeof environments)[number]

/** The namespace of a console session: told what changed, whatever its environment. */
export const everyNamespace = '*'

export const heartbeatSeconds = 25
export const maxFrameBytes = 65_536
/** How long a socket without credentials may take for its hello. */
export const helloTimeoutMs = 5_000

/** RFC 6455 close codes; 4xxx are ours. */
export const closeCodes = {
  shutdown: 1001,
  badFrame: 1008,
  tooBig: 1009,
  tooSlow: 1013,
  /** Another caller had fewer connections when there were as many as the service takes. */
  displaced: 1013,
  signedOut: 4401,
  disconnected: 4403,
} as const

export const changedEntities = [
  'run',
  'user',
  'workspace',
  'session',
  'client',
  'audit',
  'setting',
  'backup',
  'prompt',
  'agent',
  'workflow',
  'provider',
  'token',
] as const
export type ChangedEntity = (typeof changedEntities)[number]

export type PromptEvent = {
  type: 'prompt.created' | 'prompt.updated' | 'prompt.published' | 'prompt.rolled_back' | 'prompt.deleted'
  seq: number
  id: string
  key: string
  env: Environment
  version: string | null
  workspace_id: string
}

/** What the service sends. */
export type ServerFrame =
  | { type: 'hello'; client_id: string; seq: number; heartbeat_s: number; warning?: string }
  | { type: 'changed'; seq: number; entity: ChangedEntity; id: string | null }
  | { type: 'resync'; seq: number }
  | { type: 'pong' }
  | PromptEvent

const Keys = z.array(KeyText).max(1000)
const Label = z.string().min(1).max(128)

/** What a client sends. Unknown members are ignored, so that newer SDKs can talk to an older service. */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    token: z.string().min(1).max(4096).optional(),
    client: Label.optional(),
    app: Label.optional(),
    namespace: z.string().min(1).max(64).optional(),
    workspace: z.string().min(1).max(64).optional(),
    since_seq: z.int().min(0).optional(),
    instance_id: Label.optional(),
    sdk_version: z.string().min(1).max(64).optional(),
    keys: Keys.optional(),
  }),
  z.object({ type: z.literal('ack'), seq: z.int().min(0), key: KeyText, version: z.string().min(1).max(64) }),
  z.object({ type: z.literal('subscribe'), keys: Keys }),
  // Answered by `pong`: a page cannot see the pings of the protocol, and so not whether its connection is dead.
  z.object({ type: z.literal('ping') }),
])
export type ClientFrame = z.infer<typeof ClientFrame>
