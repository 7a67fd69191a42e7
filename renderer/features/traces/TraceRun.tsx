import { useNavigate } from '@tanstack/react-router'
import type { z } from 'zod'
import type { SetSearch } from '../../lib/page/search.ts'
import { RunDrawer } from '../../shared/runs/drawer/RunDrawer.tsx'
import type { RunFilters } from '../../shared/runs/drawer/runActions.ts'
import type { traceSearch } from './traces.search.ts'
import { runsOf, type Trace } from './traceTree.ts'

type Props = {
  readonly traceId: string
  readonly trace: Trace
  /** The ID of the run. */
  readonly id: string
  readonly setSearch: SetSearch<z.output<typeof traceSearch>>
}

/** The drawer of a run beside its trace. Filters, and runs outside of the trace, open the run log. */
export function TraceRun({ traceId, trace, id, setSearch }: Props) {
  const navigate = useNavigate()
  const ids = runsOf(trace).map((run) => String(run.id))
  const at = ids.indexOf(id)
  const step = (next: string | undefined) =>
    at === -1 || next === undefined ? null : () => setSearch({ run: next }, { replace: true })
  const showRuns = (filters: RunFilters) =>
    void navigate({ to: '/runs/{-$id}', params: { id: undefined }, search: { ...filters, period: 'all' } })
  return (
    <RunDrawer
      id={id}
      traceId={traceId}
      navigation={{ previous: step(ids[at - 1]), next: step(ids[at + 1]), isByTime: false }}
      onClose={() => setSearch({ run: undefined })}
      actions={{
        addFilters: showRuns,
        replaceFilters: showRuns,
        open: (other) =>
          void navigate({ to: '/runs/{-$id}', params: { id: other }, search: { period: 'all' } }),
      }}
    />
  )
}
