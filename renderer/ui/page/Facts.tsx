import { Fragment, type ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { CopyButton } from '../display/link/CopyButton.tsx'
import styles from './Facts.module.css'

export type Fact = {
  readonly label: string
  readonly value: ReactNode
  /** Text for a copy button. */
  readonly copy?: string | null | undefined
}

/** List of labels and values, one per line. Falsy entries are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null | false | undefined)[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map((fact) =>
        fact ? (
          <Fragment key={fact.label}>
            <dt className={styles['label']}>{fact.label}</dt>
            <dd className={styles['value']}>
              <span className={styles['text']}>{fact.value}</span>
              {typeof fact.copy === 'string' && (
                <CopyButton value={fact.copy} label={t('common:copy_of', { what: fact.label })} />
              )}
            </dd>
          </Fragment>
        ) : null,
      )}
    </dl>
  )
}
