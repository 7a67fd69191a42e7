import { Button } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useId, useState } from 'react'
import type { ImportedItem, ImportReport } from '../../../contract/prompt-transfer.ts'
import { unknown } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { EnvBadge } from '../../ui/EnvBadge.tsx'
import { ImportChange } from './ImportChange.tsx'
import styles from './prompts.module.css'

const tones: Readonly<Record<ImportedItem['outcome'], Tone>> = {
  create: 'ok',
  update: 'accent',
  unchanged: 'quiet',
  skip: 'quiet',
  refuse: 'bad',
}
/** What needs a decision comes first. */
const order: readonly ImportedItem['outcome'][] = ['refuse', 'update', 'create', 'skip', 'unchanged']

/** What becomes of each prompt, and why. */
export function ImportPreview({ report }: { readonly report: ImportReport }) {
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
              {t(`prompts:import.count_${outcome}`, { count })}
            </Badge>
          ))}
        <span className="dimmed">
          {t('prompts:import.read_as', {
            format:
              report.format === 'mixed' ? t('prompts:format.mixed') : t(`prompts:format.${report.format}`),
          })}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard */}
      <section className={styles['preview']} aria-label={t('prompts:import.preview_title')} tabIndex={0}>
        <table className={styles['plain']} aria-label={t('prompts:import.preview_title')}>
          <thead>
            <tr>
              <th scope="col">{t('prompts:field.key')}</th>
              <th scope="col">{t('prompts:field.env')}</th>
              <th scope="col">{t('prompts:import.outcome')}</th>
              <th scope="col">{t('prompts:import.why')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <Row key={`${item.file} ${item.index}`} item={item} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** One prompt of the import; what would be changed of one that is there folds out below it. */
function Row({ item }: { readonly item: ImportedItem }) {
  const [isOpen, setOpen] = useState(false)
  const panel = useId()
  const { id, after, key } = item
  const change = id === null || after === null ? null : { id, after }
  return (
    <>
      <tr>
        <td>
          <span className="mono">{key ?? unknown}</span>
          <div className="dimmed">{item.file}</div>
        </td>
        <td>{item.env === null ? unknown : <EnvBadge env={item.env} />}</td>
        <td>
          <Badge tone={tones[item.outcome]}>{t(`prompts:import.${item.outcome}`)}</Badge>
        </td>
        <td>
          <Reasons item={item} />
          {change !== null && (
            <Button
              variant="subtle"
              size="compact-xs"
              ml={-8}
              leftSection={isOpen ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
              aria-expanded={isOpen}
              aria-controls={isOpen ? panel : undefined}
              aria-label={t(isOpen ? 'prompts:import.hide_of' : 'prompts:import.show_of', { key: key ?? '' })}
              onClick={() => setOpen(!isOpen)}
            >
              {t(isOpen ? 'prompts:import.hide' : 'prompts:import.show')}
            </Button>
          )}
        </td>
      </tr>
      {change !== null && isOpen && (
        <tr id={panel} className={styles['folded']}>
          <td colSpan={4}>
            <ImportChange {...change} />
          </td>
        </tr>
      )}
    </>
  )
}

function Reasons({ item }: { readonly item: ImportedItem }) {
  const fate = item.version === null ? 'prompts:import.stays_draft' : 'prompts:import.becomes'
  const isChange = item.outcome === 'create' || item.outcome === 'update'
  return (
    <>
      {item.errors.map(({ path, message }) => (
        <div key={`${path} ${message}`} className={styles['bad']}>
          {path !== '' && <span className="mono">{path}: </span>}
          {message}
        </div>
      ))}
      {item.changes.length > 0 && (
        <div>{t('prompts:import.changes', { fields: item.changes.join(', ') })}</div>
      )}
      {isChange && <div className="dimmed">{t(fate, { version: item.version ?? '' })}</div>}
      {item.notes.map((note) => (
        <div key={note} className="dimmed">
          {note}
        </div>
      ))}
    </>
  )
}
