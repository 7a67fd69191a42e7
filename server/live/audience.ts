import { everyNamespace } from '../../contract/live.ts'
import type { NumberedFrame } from '../history/bus.ts'

/** A frame and whom it is for. */
export type Addressed = {
  readonly frame: NumberedFrame
  /** The environment whose clients hear it; null: consoles. */
  readonly namespace: string | null
  readonly workspaceId: string | null
  /** Stored nowhere: it bears the newest number instead of one of its own, and is never replayed. */
  readonly isPassing?: true
}

/** What decides which frames a client hears. */
export type Ear = {
  readonly namespace: string
  /**
   * Null: every workspace, for a console that named none. An SDK that named none listens to the default one, because
   * that is where it fetches from. A name nobody has yet hears nothing.
   */
  readonly workspaceId: string | null
}

/** Consoles are told what to refetch; SDKs hear the prompts of their own environment and workspace. And nothing else. */
export function hears(ear: Ear, { namespace, workspaceId }: Addressed): boolean {
  const isConsole = ear.namespace === everyNamespace
  if (isConsole !== (namespace === null)) return false
  if (!isConsole && namespace !== ear.namespace) return false
  return ear.workspaceId === null || workspaceId === null || workspaceId === ear.workspaceId
}
