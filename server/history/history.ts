import type { AuditAction, AuditResource } from '../../contract/audit.ts'
import type { ChangedEntity, PromptEvent } from '../../contract/live.ts'
import type { Tx } from '../db/types.ts'
import type { Actor, Context } from '../lib/context.ts'

type Fields = Readonly<Record<string, unknown>>

/** What somebody did, in the words of the audit log. Never put a secret in here. */
export type HistoryEvent = {
  readonly action: AuditAction
  readonly resource: AuditResource
  readonly resourceId: string | null
  readonly key: string | null
  readonly workspaceId?: string | null
  /** The user whose session it is; the resource itself if that is a user. */
  readonly userId?: string
  readonly summary: string
  /** The whole records before and after, as the wire shows them; only fields that differ are kept. */
  readonly before?: Fields
  readonly after?: Fields
  /** Instead of the context's actor: a failed sign-in is anonymous, a sign-in is the user's. */
  readonly actor?: Actor
  /** What consoles refetch; the resource itself unless given. */
  readonly changed?: ChangedEntity
  /** What consoles refetch besides, whole: a change of one thing that shows in another. */
  readonly alsoChanged?: ChangedEntity
  /** The frames SDKs hear, when this is about a prompt that is or was served. A move is heard in two places. */
  readonly promptEvents?: readonly PromptFacts[]
}

export type PromptFacts = Omit<PromptEvent, 'seq'>

export type History = {
  /** Writes the audit row inside the transaction and announces the change once it is on disk. */
  record(tx: Tx, ctx: Context, event: HistoryEvent): Promise<void>
}

export type Reminder = {
  /**
   * Says once more to these clients what stands already. It has a number of its own, so that nobody takes it for a
   * repeat; nothing changed, so it is neither audited nor replayed.
   */
  remind(tx: Tx, event: PromptFacts, clients: ReadonlySet<string>): Promise<void>
}
