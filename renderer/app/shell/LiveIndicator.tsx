import { Tooltip, UnstyledButton } from '@mantine/core'
import { formatSpan } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { t } from '../../lib/i18n.ts'
import { liveState } from '../../lib/service/live.ts'
import { useStore } from '../../lib/state/store.ts'
import styles from './LiveIndicator.module.css'

/** State of the live connection and time of its last frame. A click reconnects a lost connection. */
export function LiveIndicator({ onRetry }: { readonly onRetry: () => void }) {
  const { status, lastFrameAt } = useStore(liveState)
  const now = useNow()
  const lastReceived =
    lastFrameAt === null
      ? t('shell:live.never')
      : t('shell:live.last_message', { span: formatSpan(now - lastFrameAt) })
  return (
    <Tooltip label={`${t(`shell:live.help.${status}`)} ${lastReceived}`}>
      <UnstyledButton
        className={styles['live'] ?? ''}
        data-status={status}
        data-testid="live"
        onClick={() => {
          if (status !== 'live') onRetry()
        }}
      >
        <span className={styles['dot']} aria-hidden="true" />
        <span>{t(`shell:live.${status}`)}</span>
      </UnstyledButton>
    </Tooltip>
  )
}
