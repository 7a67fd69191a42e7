import { memo } from 'react'
import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import styles from '../overview.module.css'
import type { OverviewSearch } from '../overview.search.ts'
import { Breakdown } from './Breakdown.tsx'

type Props = {
  readonly stats: RunStats
  readonly search: OverviewSearch
  readonly setSearch: SetSearch<OverviewSearch>
}

export const Breakdowns = memo(function Breakdowns({ stats, search, setSearch }: Props) {
  const { exact } = stats
  return (
    <div className={styles['pair']}>
      <Breakdown
        by="provider"
        slices={stats.by_provider.map((row) => ({ ...row, exact, name: row.provider }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="model"
        slices={stats.by_model.map((row) => ({ ...row, exact, name: row.model }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="source"
        slices={stats.by_source.map((row) => ({ ...row, exact, name: row.source }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="ref_key"
        slices={stats.by_ref_key.map((row) => ({ ...row, exact, name: row.ref_key, env: row.env }))}
        search={search}
        setSearch={setSearch}
      />
    </div>
  )
})
