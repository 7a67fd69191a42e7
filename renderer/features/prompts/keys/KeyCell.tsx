import { IconArrowDown } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { KeyEnvironment } from '../../../../contract/prompts/prompt-keys.ts'
import { unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Hint } from '../../../ui/display/Hint.tsx'
import { contentNumber, type KeyRow, sameEnvs } from './keyRow.ts'
import styles from './matrix.module.css'

/** Returns the content of a cell as text, for the hint and for screen readers. */
function textOf(row: KeyRow, cell: KeyEnvironment): string {
  const { env, version, behind, has_draft: hasDraft } = cell
  const same = sameEnvs(row, cell).join(', ')
  return [
    version === null ? t('prompts:cell.unpublished', { env }) : t('prompts:cell.serves', { env, version }),
    ...(same === '' ? [] : [t('prompts:cell.same', { envs: same })]),
    ...(behind ? [t('prompts:cell.behind')] : []),
    ...(hasDraft ? [t('prompts:cell.draft')] : []),
  ].join(' ')
}

/**
 * The version that one environment of a key serves. Cells with the same content have the same mark; an
 * environment that is behind has an arrow.
 */
export function KeyCell({ row, env }: { readonly row: KeyRow; readonly env: Environment }) {
  const cell = row.envs.find((each) => each.env === env)
  if (cell === undefined) return <span className="dimmed">{unknown}</span>
  const text = textOf(row, cell)
  return (
    <Hint label={text}>
      <Link
        to="/prompts/$id"
        params={{ id: cell.id }}
        className={styles['cell']}
        data-content={contentNumber(row, cell)}
        data-behind={cell.behind || undefined}
        aria-description={text}
        tabIndex={-1}
        preload={false}
      >
        {cell.version === null ? (
          <span className="dimmed">{t('prompts:cell.none')}</span>
        ) : (
          <>
            <i className={styles['mark']} aria-hidden />
            <span className="mono">{cell.version}</span>
          </>
        )}
        {cell.behind && (
          <IconArrowDown size={13} stroke={2.5} aria-hidden className={styles['behind'] ?? ''} />
        )}
        {cell.has_draft && <Badge tone="accent">{t('prompts:draft')}</Badge>}
      </Link>
    </Hint>
  )
}
