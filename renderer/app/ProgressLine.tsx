import { useIsFetching, useIsMutating } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from '../lib/i18n.ts'
import styles from './ProgressLine.module.css'

/** What takes less long is not worth a sign, in milliseconds. */
const patienceMs = 150

/**
 * A line along the top while something somebody waits for is under way. What is only refreshed in the background, with
 * its rows on screen, shows none.
 */
export function ProgressLine() {
  const first = useIsFetching({ predicate: (query) => query.state.data === undefined })
  const changes = useIsMutating()
  const isWaiting = first + changes > 0
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isWaiting) {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), patienceMs)
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
