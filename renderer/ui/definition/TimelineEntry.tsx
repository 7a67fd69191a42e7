import type { ReactNode } from 'react'
import { Avatar } from '../Avatar.tsx'
import { Time } from '../Time.tsx'
import styles from './timeline.module.css'

type Props = {
  /** Null is the draft. */
  readonly version: string | null
  /** It runs, or is what apps are served. */
  readonly isLive?: boolean
  /** One of the two that are compared. */
  readonly isChosen: boolean
  /** The newer of the two. */
  readonly isPressed: boolean
  readonly onOpen: () => void
  /** What it is called, and what it is. */
  readonly title: ReactNode
  readonly at: string
  readonly message?: string
  readonly by: string
  /** How it came to be. */
  readonly origin?: ReactNode
  /** Leaves room at the end of the last line for an action. */
  readonly hasRoom?: boolean
  /** What can be done with it. */
  readonly children?: ReactNode
}

/** One version in a history; a click compares it. */
export const TimelineEntry = ({
  version,
  isLive = false,
  hasRoom = false,
  message = '',
  ...props
}: Props) => (
  <li
    className={styles['entry']}
    data-chosen={props.isChosen || undefined}
    data-live={isLive || undefined}
    data-kind={version === null ? 'draft' : undefined}
    data-version={version ?? undefined}
    data-room={hasRoom || undefined}
  >
    <button
      type="button"
      className={styles['open']}
      aria-pressed={props.isPressed}
      onClick={() => props.onOpen()}
    >
      <span className={styles['line']}>
        {props.title}
        <span className={styles['time']}>
          <Time at={props.at} />
        </span>
      </span>
      {message !== '' && <bdi className={styles['message']}>{message}</bdi>}
      <span className={styles['who']}>
        <Avatar name={props.by} size={18} />
        <bdi className="truncate">{props.by}</bdi>
        {props.origin}
      </span>
    </button>
    {props.children}
  </li>
)
