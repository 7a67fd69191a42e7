import { Link } from '@tanstack/react-router'
import type { Run } from '../../../contract/runs/run.ts'
import { unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Duration } from '../../ui/display/Duration.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { SmallTable } from '../../ui/list/SmallTable.tsx'
import { Money } from './Money.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import { Tokens } from './Tokens.tsx'

type Props = {
  readonly runs: readonly Run[]
  readonly label: string
  /** Filters with which a run opens in the run log. */
  readonly search: object
  /** Adds a column with the user. */
  readonly hasUser?: boolean
}

/** Table of some runs. Each opens its details. */
export const RunsTable = ({ runs, label, search, hasUser = false }: Props) => (
  <SmallTable label={label}>
    <thead>
      <tr>
        <th scope="col">{t('latest_runs:time')}</th>
        <th scope="col">{t('latest_runs:version')}</th>
        <th scope="col">{t('latest_runs:model')}</th>
        <th scope="col" data-number>
          {t('latest_runs:tokens')}
        </th>
        <th scope="col" data-number>
          {t('latest_runs:latency')}
        </th>
        <th scope="col" data-number>
          {t('latest_runs:cost')}
        </th>
        {hasUser && <th scope="col">{t('latest_runs:user')}</th>}
        <th scope="col">{t('latest_runs:status')}</th>
      </tr>
    </thead>
    <tbody>
      {runs.map((run) => (
        <tr key={run.id}>
          <td>
            <Link to="/runs/{-$id}" params={{ id: String(run.id) }} search={search}>
              <Time at={run.created_at} />
            </Link>
          </td>
          <td className="mono">{run.version ?? unknown}</td>
          <td className="mono truncate" style={{ maxWidth: 280 }} title={run.model}>
            {run.model}
          </td>
          <td data-number>
            <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />
          </td>
          <td data-number>
            <Duration ms={run.latency_ms} />
          </td>
          <td data-number>
            <Money usd={run.cost_usd} />
          </td>
          {hasUser && (
            <td>
              <bdi>{run.user ?? unknown}</bdi>
            </td>
          )}
          <td>
            <StatusBadge status={run.status} />
          </td>
        </tr>
      ))}
    </tbody>
  </SmallTable>
)
