import type { DefinitionImportReport, ImportedDefinition } from '../../../contract/definition.ts'
import { unknown } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Badge, type Tone } from '../Badge.tsx'
import styles from './import.module.css'

const tones: Readonly<Record<ImportedDefinition['outcome'], Tone>> = {
  create: 'ok',
  update: 'accent',
  unchanged: 'quiet',
  skip: 'quiet',
  refuse: 'bad',
}
/** What needs a decision comes first. */
const order: readonly ImportedDefinition['outcome'][] = ['refuse', 'update', 'create', 'skip', 'unchanged']

/** What becomes of each, and why. */
export function ImportPreview({ report }: { readonly report: DefinitionImportReport }) {
  const counts = [
    ['create', report.created],
    ['update', report.updated],
    ['unchanged', report.unchanged],
    ['skip', report.skipped],
    ['refuse', report.refused],
  ] as const
  const items = report.items.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  return (
    <>
      <div className={styles['counts']} role="status">
        {counts
          .filter(([, count]) => count > 0)
          .map(([outcome, count]) => (
            <Badge key={outcome} tone={tones[outcome]}>
              {t(`definition:import.count_${outcome}`, { count })}
            </Badge>
          ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard */}
      <section className={styles['preview']} aria-label={t('definition:import.preview_title')} tabIndex={0}>
        <table className={styles['plain']} aria-label={t('definition:import.preview_title')}>
          <thead>
            <tr>
              <th scope="col">{t('definition:field.key')}</th>
              <th scope="col">{t('definition:import.outcome')}</th>
              <th scope="col">{t('definition:import.why')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={`${item.file} ${item.index}`}>
                <td>
                  <span className="mono">{item.key ?? unknown}</span>
                  <div className="dimmed">{item.file}</div>
                </td>
                <td>
                  <Badge tone={tones[item.outcome]}>{t(`definition:import.${item.outcome}`)}</Badge>
                </td>
                <td>
                  <Reasons item={item} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function Reasons({ item }: { readonly item: ImportedDefinition }) {
  return (
    <>
      {item.errors.map(({ path, message }) => (
        <div key={`${path} ${message}`} className={styles['bad']}>
          {path !== '' && <span className="mono">{path}: </span>}
          {message}
        </div>
      ))}
      {item.changes.length > 0 && (
        <div>{t('definition:import.changes', { fields: item.changes.join(', ') })}</div>
      )}
      {item.version !== null && (
        <div className="dimmed">{t('definition:import.becomes', { version: item.version })}</div>
      )}
      {item.notes.map((note) => (
        <div key={note} className="dimmed">
          {note}
        </div>
      ))}
    </>
  )
}
