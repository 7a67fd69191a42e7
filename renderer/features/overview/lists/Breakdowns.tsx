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
  return (
    <div className={styles['pair']}>
      <Breakdown
        by="provider"
        slices={stats.by_provider.map((of) => ({ ...of, name: of.provider }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="model"
        slices={stats.by_model.map((of) => ({ ...of, name: of.model }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="source"
        slices={stats.by_source.map((of) => ({ ...of, name: of.source }))}
        search={search}
        setSearch={setSearch}
      />
      <Breakdown
        by="ref_key"
        slices={stats.by_ref_key.map((of) => ({ ...of, name: of.ref_key }))}
        search={search}
        setSearch={setSearch}
      />
    </div>
  )
})
