import { IconCircleCheckFilled } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from './first-run.module.css'

type Props = {
  readonly number: number
  readonly name: 'defaults' | 'prompt' | 'connect' | 'capture' | 'run'
  readonly isDone: boolean
  /** Displayed instead of the instructions once the step is done. */
  readonly note?: string | undefined
  readonly children: ReactNode
}

export function FirstRunStep({ number, name, isDone, note, children }: Props) {
  return (
    <li className={styles['step']} data-done={isDone || undefined} data-testid={`step-${name}`}>
      <span className={styles['mark']}>
        {isDone ? (
          <IconCircleCheckFilled size={20} aria-label={t('first_run:done')} />
        ) : (
          <span className={styles['number']} aria-hidden="true">
            {number}
          </span>
        )}
      </span>
      <div className={styles['text']}>
        <div className={styles['name']}>{t(`first_run:${name}.title`)}</div>
        <div className={styles['note']}>{note ?? t(`first_run:${name}.text`)}</div>
        <div className={styles['actions']}>{children}</div>
      </div>
    </li>
  )
}
