import { Button } from '@mantine/core'
import { Run } from '../../../contract/runs/run.ts'
import { toCsv, toJsonLines } from '../../lib/format/csv.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/service/download.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { copy } from '../../ui/feedback/copy.ts'

const columns = Run.keyof().options

/**
 * The bulk actions for selected runs. Their files have the same columns and lines as an export of all runs.
 */
export function RunBulk({ runs }: { readonly runs: readonly Run[] }) {
  const done = t('common:select.copied', { count: runs.length })
  const [second, first] = runs
  return (
    <>
      {first !== undefined && second !== undefined && runs.length === 2 && (
        <LinkButton
          variant="default"
          size="compact-sm"
          to="/runs/compare"
          search={{ a: String(first.id), b: String(second.id) }}
        >
          {t('runs:compare.bulk')}
        </LinkButton>
      )}
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void copy(runs.map((run) => run.id).join('\n'), done)}
      >
        {t('runs:bulk.copy_ids')}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => saveFile('runs-selected.csv', [toCsv(columns, runs)], 'text/csv')}
      >
        {t('runs:bulk.csv')}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => saveFile('runs-selected.jsonl', [toJsonLines(runs)], 'application/x-ndjson')}
      >
        {t('runs:bulk.jsonl')}
      </Button>
    </>
  )
}
