import type { ReactNode } from 'react'
import { Badge } from '../../../ui/display/Badge.tsx'
import type { Sides } from './sides.ts'
import { TimelineEntry } from './TimelineEntry.tsx'

type Props = {
  readonly version: {
    readonly version: string
    readonly message: string
    readonly created_by: string
    readonly created_at: string
  }
  /** Text of the badge of the live version; null for other versions. */
  readonly live: string | null
  /** The versions that are compared now. */
  readonly sides: Sides
  /** Compares the version with the one before it. */
  readonly onOpen: () => void
  readonly origin: ReactNode
  /** Leaves space for an action at the end of the last line. */
  readonly hasActionSpace?: boolean
  /** Actions. */
  readonly children: ReactNode
}

/** A stored version in a history. */
export const VersionEntry = ({ version: stored, live, sides: { from, to }, ...entry }: Props) => (
  <TimelineEntry
    {...entry}
    version={stored.version}
    isLive={live !== null}
    isChosen={to === stored.version || from === stored.version}
    isPressed={to === stored.version}
    title={
      <>
        <b className="mono">{stored.version}</b>
        {live !== null && <Badge tone="ok">{live}</Badge>}
      </>
    }
    at={stored.created_at}
    message={stored.message}
    by={stored.created_by}
  />
)
