import type { RunStats } from '../../../contract/run-stats.ts'
import { Breakdown } from './Breakdown.tsx'
import styles from './overview.module.css'
import type { OverviewSearch } from './overview.search.ts'

type Props = { readonly stats: RunStats; readonly search: OverviewSearch }

export function Breakdowns({ stats, search }: Props) {
  return (
    <div className={styles['pair']}>
      <Breakdown
        by="provider"
        slices={stats.by_provider.map((of) => ({ ...of, name: of.provider }))}
        search={search}
      />
      <Breakdown
        by="model"
        slices={stats.by_model.map((of) => ({ ...of, name: of.model }))}
        search={search}
      />
      <Breakdown
        by="source"
        slices={stats.by_source.map((of) => ({ ...of, name: of.source }))}
        search={search}
      />
      <Breakdown
        by="ref_key"
        slices={stats.by_ref_key.map((of) => ({ ...of, name: of.ref_key }))}
        search={search}
      />
    </div>
  )
}
