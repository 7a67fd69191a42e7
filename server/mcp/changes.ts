import type { Environment } from '../../contract/common/environments.ts'
import type { Announcement, Bus } from '../history/events/bus.ts'
import type { Caller } from './caller.ts'
import { environmentsOf, type VisibleWorkspaces, workspacesOf } from './prompts/places.ts'

export type Changes = ReturnType<typeof createChanges>

/** A change of what is served in an environment of a workspace. */
export type ServedChange = { readonly env: Environment; readonly workspaceId: string }

export type ChangesDeps = {
  readonly bus: Pick<Bus, 'listen'>
  readonly visibleWorkspaces: VisibleWorkspaces
  /** Returns true if this identity may receive the announcement. */
  readonly isInAudience: (identity: Caller['identity'], announcement: Announcement) => boolean
}

/** Announces changes of the published prompts, to those who may read them. */
export function createChanges({ bus, visibleWorkspaces, isInAudience }: ChangesDeps) {
  return {
    /** Calls `onChange` after each change of a prompt that the caller's list contains. */
    async listen(caller: Caller, onChange: () => void): Promise<() => void> {
      const environments: readonly string[] = environmentsOf(caller)
      const pinned =
        caller.place.workspace === undefined
          ? null
          : new Set((await workspacesOf(caller, visibleWorkspaces)).map(({ id }) => id))
      return bus.listen((announcement) => {
        if (announcement.kind === 'lost') return onChange()
        const change = changeOf(announcement)
        if (change === null || !environments.includes(change.env)) return
        if (pinned !== null && !pinned.has(change.workspaceId)) return
        if (isInAudience(caller.identity, announcement)) onChange()
      })
    },
  }
}

/** Returns the change of an announcement; null if it changes no list of published prompts. */
function changeOf(announcement: Announcement): ServedChange | null {
  // An announcement to certain clients repeats the current state.
  if (announcement.kind !== 'frame' || announcement.clientIds !== undefined) return null
  const { frame } = announcement
  return frame.type === 'changed' || frame.type === 'resync'
    ? null
    : { env: frame.env, workspaceId: frame.workspace_id }
}
