import type { ChangedEntity, PromptEvent } from '../../contract/live/frames.ts'
import type { AuditAction, AuditResource } from '../../contract/system/audit.ts'
import type { Tx } from '../db/types.ts'
import type { Actor, Context } from '../lib/context.ts'

type Fields = Readonly<Record<string, unknown>>

/** An action, with the terms of the audit log. It must not contain secrets. */
export type HistoryEvent = {
  readonly action: AuditAction
  readonly resource: AuditResource
  readonly resourceId: string | null
  readonly key: string | null
  readonly workspaceId?: string | null
  /** The user whom it concerns besides the members of the workspace; the resource itself if that is a user. */
  readonly userId?: string
  readonly summary: string
  /** The whole records before and after, as in the API. Only fields that differ are recorded. */
  readonly before?: Fields
  readonly after?: Fields
  /** Replaces the context's actor: a failed sign-in is anonymous, a sign-in belongs to the user. */
  readonly actor?: Actor
  /** The entity that consoles refetch; the resource itself by default. */
  readonly changed?: ChangedEntity
  /** Another kind of entity that consoles refetch as a whole, because the change is visible there too. */
  readonly alsoChanged?: ChangedEntity
  /** Frames for SDKs, if the event concerns a prompt that is or was served. A move has two. */
  readonly promptEvents?: readonly PromptFacts[]
}

/** The fields of a prompt's frame, without its sequence number. */
export type PromptFacts = Omit<PromptEvent, 'seq'>

export type History = {
  /** Writes the audit row in the transaction, and announces the change once it is on disk. */
  record(tx: Tx, ctx: Context, event: HistoryEvent): Promise<void>
}

/** Sends frames again without a change. */
export type FrameResender = {
  /**
   * Sends the current state to these clients again. The frame has its own sequence number, so that it is not
   * ignored as a repetition. Nothing changed, so it is neither audited nor replayed.
   */
  resend(tx: Tx, event: PromptFacts, clients: ReadonlySet<string>, now: Date): Promise<void>
}

/** Announces changes that nobody made, such as an alert that fires. They are replayed, but not audited. */
export type ChangeAnnouncer = {
  announce(
    tx: Tx,
    change: {
      readonly entity: ChangedEntity
      readonly id: string
      /** Null: it belongs to no workspace. */
      readonly workspaceId: string | null
      readonly at: Date
    },
  ): Promise<void>
}
