import type { Endpoint } from '../../contract/endpoint.ts'
import { api } from '../../contract/index.ts'
import { type ChangedEntity, everyNamespace } from '../../contract/live.ts'
import type { Settings } from '../../contract/settings.ts'
import type { Identity } from '../auth/identity.ts'
import type { NumberedFrame } from '../history/bus.ts'
import { denialOf, type PermissionOverrides } from '../http/access.ts'
import { watchRefusal } from '../lib/limits.ts'

/** A frame and whom it is for. */
export type Addressed = {
  readonly frame: NumberedFrame
  /** The environment whose clients receive it; null: consoles. */
  readonly namespace: string | null
  readonly workspaceId: string | null
  /** The users whose account or session changed: they receive it too, since they may read their own. */
  readonly userIds?: readonly string[]
  /** Stored nowhere and never replayed: it is sent with the number its client is at instead of one of its own. */
  readonly isPassing?: true
}

/** A client, as far as it decides which frames it receives. */
export type Ear = {
  readonly namespace: string
  /**
   * Null: every workspace, for a console that named none. An SDK that named none listens to the default one, because
   * that is where it fetches from. A name nobody has yet receives nothing.
   */
  readonly workspaceId: string | null
  /** Null: the client is not known yet. */
  readonly identity: Identity | null
}

type Typed<E> = E extends { readonly path: string } ? Endpoint : never
const reads = <E>(endpoint: E) => endpoint as Typed<E>

/** The endpoint that shows an entity: a client receives its `changed` frames if and only if it may call it. */
const shownBy: Readonly<Record<ChangedEntity, Endpoint>> = {
  run: reads(api.runs.list),
  user: reads(api.users.list),
  workspace: reads(api.workspaces.list),
  session: reads(api.users.sessions),
  client: reads(api.clients.list),
  audit: reads(api.audit.list),
  setting: reads(api.settings.get),
  backup: reads(api.backups.list),
  prompt: reads(api.prompts.list),
  agent: reads(api.agents.list),
  workflow: reads(api.workflows.list),
  // The Playground shows a viewer which providers there are.
  provider: reads(api.playground.providers),
  token: reads(api.tokens.list),
}

/** The endpoint that shows a caller what is their own. */
const ownShownBy: Readonly<Partial<Record<ChangedEntity, Endpoint>>> = {
  user: reads(api.auth.me),
  session: reads(api.auth.sessions),
}

/** The setting that moves a permission. What each role may do is open to everyone who is signed in. */
const permissionSetting: keyof Settings = 'workspace_creation_role'

/** Returns true if this identity may read what the frame is about. */
function mayRead(identity: Identity, addressed: Addressed, overrides: PermissionOverrides): boolean {
  const { frame, namespace, workspaceId, userIds } = addressed
  const may = (endpoint: Endpoint) => denialOf(endpoint, identity, overrides) === null
  if (frame.type === 'resync') return true
  if (frame.type !== 'changed')
    return (
      may(reads(api.sdk.prompt)) &&
      watchRefusal(identity.actor.limits, { namespace: namespace ?? '', workspaceId }) === null
    )
  if (may(shownBy[frame.entity])) return true
  if (frame.entity === 'setting' && frame.id === permissionSetting) return may(reads(api.roles.list))
  const own = ownShownBy[frame.entity]
  const { kind, id } = identity.actor
  return own !== undefined && kind === 'user' && id !== null && userIds?.includes(id) === true && may(own)
}

/** Returns true if the client listens to this frame: its namespace, its workspace, and nothing it may not read. */
export function hears(ear: Ear, addressed: Addressed, overrides: PermissionOverrides): boolean {
  const { namespace, workspaceId } = addressed
  const isConsole = ear.namespace === everyNamespace
  if (isConsole !== (namespace === null)) return false
  if (!isConsole && namespace !== ear.namespace) return false
  if (ear.workspaceId !== null && workspaceId !== null && workspaceId !== ear.workspaceId) return false
  return ear.identity !== null && mayRead(ear.identity, addressed, overrides)
}
