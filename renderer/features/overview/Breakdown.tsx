import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { formatDuration, formatMoney, formatNumber, formatPercent } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Bars } from '../../ui/Bars.tsx'
import { Section } from '../../ui/Section.tsx'
import { worryingShare } from './health.ts'
import { type OverviewSearch, scopeOf } from './overview.search.ts'

/** One slice; a key may be missing. */
export type Slice = {
  readonly name: string | null
  readonly count: number
  readonly error: number
  readonly p95_latency_ms: number | null
  readonly cost_usd: number | null
}

type Props = {
  readonly by: 'provider' | 'model' | 'source' | 'ref_key'
  readonly slices: readonly Slice[]
  readonly search: OverviewSearch
}

const fewSlices = 6

/** How the runs divide; a row leads to its runs. */
export function Breakdown({ by, slices, search }: Props) {
  const navigate = useNavigate()
  const [isAll, setAll] = useState(false)
  const title = t(`overview:by.${by}`)
  const shown = isAll ? slices : slices.slice(0, fewSlices)
  return (
    <Section
      title={title}
      aside={
        slices.length > fewSlices && (
          <Button variant="subtle" size="compact-xs" onClick={() => setAll(!isAll)} aria-expanded={isAll}>
            {isAll ? t('overview:by.fewer') : t('overview:by.all', { count: slices.length })}
          </Button>
        )
      }
    >
      <Bars
        label={title}
        columns={[
          t(`overview:by.name.${by}`),
          t('overview:by.runs'),
          t('overview:by.errors'),
          t('overview:by.p95'),
          t('overview:by.cost'),
        ]}
        empty={t('overview:by.none')}
        bars={shown.map(({ name, count, error, p95_latency_ms: p95, cost_usd: cost }) => ({
          key: name ?? '',
          label:
            name === null ? (
              <span className="dimmed">{t('overview:by.no_key')}</span>
            ) : (
              <bdi className={by === 'model' || by === 'ref_key' ? 'mono' : ''} title={name}>
                {name}
              </bdi>
            ),
          value: count,
          cells: [
            formatNumber(count),
            <span
              key="errors"
              style={error >= worryingShare * count && error > 0 ? { color: 'var(--pd-bad)' } : {}}
            >
              {formatPercent(count === 0 ? null : error / count)}
            </span>,
            formatDuration(p95),
            formatMoney(cost),
          ],
          ...(name === null
            ? {}
            : {
                onOpen: () =>
                  void navigate({
                    to: '/runs/{-$id}',
                    params: { id: undefined },
                    search: { ...scopeOf(search), [by]: [name] },
                  }),
              }),
        }))}
      />
    </Section>
  )
}
