import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/common/environments.ts'
import { t } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import styles from './includes.module.css'
import type { IncludeRow, Includes } from './useIncludes.ts'

type Props = { readonly includes: Includes; readonly env: Environment }

/** The prompts that the text includes, and the prompts that include this one. Empty if there are none. */
export function IncludeList({ includes: { rows, isLiteral, includedBy }, env }: Props) {
  return (
    <>
      {rows.length > 0 && (
        <section className={styles['section']} aria-label={t('prompt:includes.heading')}>
          <h3 className={styles['title']}>{t('prompt:includes.heading')}</h3>
          {isLiteral && <p className="note">{t('prompt:includes.literal')}</p>}
          <ul className={styles['list']}>
            {rows.map((row) => (
              <Row key={row.text} row={row} env={env} />
            ))}
          </ul>
        </section>
      )}
      {includedBy.length > 0 && (
        <section className={styles['section']} aria-label={t('prompt:includes.by')}>
          <h3 className={styles['title']}>{t('prompt:includes.by')}</h3>
          <ul className={styles['list']}>
            {includedBy.map(({ id, key, version }) => (
              <li key={`${id} ${version}`} className={styles['row']}>
                <PromptLink id={id} text={key} />
                <EnvBadge env={env} />
                <span className="dimmed">
                  {version === null
                    ? t('prompt:includes.by_live')
                    : t('prompt:includes.by_pinned', { version })}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Row({
  row: { text, include, target, state, problem },
  env,
}: { readonly row: IncludeRow } & Pick<Props, 'env'>) {
  const name = include.version === null ? include.key : `${include.key}@v${include.version}`
  return (
    <li className={styles['row']} data-state={state} data-testid="include" aria-label={text}>
      {target === null ? <span className="mono">{name}</span> : <PromptLink id={target.id} text={name} />}
      <EnvBadge env={env} />
      {problem !== null ? (
        <span className={styles['problem']}>
          <IconAlertTriangle size={14} aria-hidden />
          {problem}
        </span>
      ) : (
        target !== null && (
          <span className="dimmed">
            {include.version === null
              ? t('prompt:includes.live', { version: target.version ?? '' })
              : t('prompt:includes.pinned', { version: target.version ?? '' })}
          </span>
        )
      )}
    </li>
  )
}

function PromptLink({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <Link to="/prompts/$id" params={{ id }} className={`mono ${styles['link']}`}>
      <bdi>{text}</bdi>
    </Link>
  )
}
