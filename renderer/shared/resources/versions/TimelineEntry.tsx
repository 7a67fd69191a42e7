import type { ReactNode } from 'react'
import { Avatar } from '../../../ui/display/Avatar.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import styles from './timeline.module.css'

type Props = {
  /** Null for the draft. */
  readonly version: string | null
  /** True if the version is the current or served one. */
  readonly isLive?: boolean
  /** True if it is one of the two versions compared. */
  readonly isChosen: boolean
  /** True if it is the newer of the two. */
  readonly isPressed: boolean
  readonly onOpen: () => void
  /** Name and state. */
  readonly title: ReactNode
  readonly at: string
  readonly message?: string
  readonly by: string
  readonly origin?: ReactNode
  /** Leaves space for an action at the end of the last line. */
  readonly hasActionSpace?: boolean
  /** Actions. */
  readonly children?: ReactNode
}

/** One version in a history. A click compares it. */
export const TimelineEntry = ({
  version,
  isLive = false,
  hasActionSpace = false,
  message = '',
  ...props
}: Props) => (
  <li
    className={styles['entry']}
    data-chosen={props.isChosen || undefined}
    data-live={isLive || undefined}
    data-kind={version === null ? 'draft' : undefined}
    data-version={version ?? undefined}
    data-action-space={hasActionSpace || undefined}
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
      <span className={styles['author']}>
        <Avatar name={props.by} size={18} />
        <bdi className="truncate">{props.by}</bdi>
        {props.origin}
      </span>
    </button>
    {props.children}
  </li>
)
