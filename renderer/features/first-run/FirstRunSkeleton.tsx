import './first-run.texts.ts'
import { Skeleton } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { FirstRunStep } from './FirstRunStep.tsx'
import styles from './first-run.module.css'

type Props = {
  /** True while built-in credentials are active. The first step is not done then. */
  readonly areDefaultsActive: boolean
}

/** A placeholder of the panel's size while its code and data load, so that nothing below moves. */
export const FirstRunSkeleton = ({ areDefaultsActive }: Props) =>
  areDefaultsActive ? (
    <section className={`${styles['panel']} ${styles['pending']}`} aria-busy="true">
      <header className={styles['head']}>
        <b className={styles['title']}>{t('first_run:title')}</b>
      </header>
      <ol className={styles['steps']}>
        <FirstRunStep number={1} name="defaults" isDone={false}>
          <Skeleton height={22} width={120} />
        </FirstRunStep>
        {['prompt', 'connect', 'capture', 'run'].map((name) => (
          <li key={name}>
            <Skeleton height={128} />
          </li>
        ))}
      </ol>
    </section>
  ) : (
    <Skeleton className={styles['skeleton'] ?? ''} />
  )
