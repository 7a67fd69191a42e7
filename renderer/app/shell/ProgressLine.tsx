import { useIsFetching, useIsMutating } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from './ProgressLine.module.css'

/** Waits shorter than this many milliseconds are not shown. */
const displayDelayMs = 150

/**
 * Progress line at the top while data is loaded for the first time or a change is sent. Data that is
 * refetched in the background shows none.
 */
export function ProgressLine() {
  const firstLoads = useIsFetching({ predicate: (query) => query.state.data === undefined })
  const changes = useIsMutating()
  const isWaiting = firstLoads + changes > 0
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isWaiting) {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), displayDelayMs)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return isShown ? (
    <div
      className={styles['line']}
      role="progressbar"
      aria-label={t('common:loading')}
      data-testid="progress"
    />
  ) : null
}
