import { Button } from '@mantine/core'
import type { AuditEntry } from '../../../contract/system/audit.ts'
import { toJsonLines } from '../../lib/format/csv.ts'
import { t } from '../../lib/i18n.ts'
import { copy } from '../../ui/feedback/copy.ts'

/** One line of text with time, actor and summary, for pasting into a message. */
const asLine = (entry: AuditEntry): string => `${entry.created_at}  ${entry.actor}  ${entry.summary}`

export function AuditBulk({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const done = t('common:select.copied', { count: entries.length })
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void copy(entries.map(asLine).join('\n'), done)}
      >
        {t('audit:bulk.copy')}
      </Button>
      <Button variant="default" size="compact-sm" onClick={() => void copy(toJsonLines(entries), done)}>
        {t('audit:bulk.copy_json')}
      </Button>
    </>
  )
}
