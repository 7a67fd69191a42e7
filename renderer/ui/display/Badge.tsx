import type { ReactNode } from 'react'
import styles from './Badge.module.css'

/** Colour of a state. `quiet` marks a plain fact. */
export type Tone = 'quiet' | 'ok' | 'warn' | 'bad' | 'accent'

type Props = { readonly tone?: Tone; readonly icon?: ReactNode; readonly children: ReactNode }

export function Badge({ tone = 'quiet', icon, children }: Props) {
  return (
    <span className={styles['badge']} data-tone={tone}>
      {icon}
      {children}
    </span>
  )
}
