import './budgets.texts.ts'
import { Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BudgetMeter, BudgetScope, BudgetState } from '../../../contract/gateway/budgets.ts'
import { formatMoney, formatNumber } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import styles from './BudgetMeters.module.css'
import { budgetsQuery } from './budgets.queries.ts'

type Owner = { readonly scope: BudgetScope; readonly id: string | null }

/** Returns the state of a budget; undefined if there is none. */
const stateOf = (states: readonly BudgetState[], { scope, id }: Owner): BudgetState | undefined =>
  states.find((state) => state.scope === scope && state.id === id)

const tones = { ok: 'ok', warned: 'warn', used_up: 'bad' } as const
const colors = { ok: 'var(--pd-ok)', warned: 'var(--pd-warn)', used_up: 'var(--pd-bad)' } as const

/** The use of each limit of a budget, and when it begins again. */
export function BudgetMeters(owner: Owner) {
  const query = useQuery(budgetsQuery)
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return null
  const state = stateOf(query.data, owner)
  if (state === undefined) return <p className="dimmed">{t('budgets:none')}</p>
  return (
    <>
      <div>
        <Badge tone={tones[state.state]}>{t(`budgets:state.${state.state}`)}</Badge>
      </div>
      <ul className={styles['meters']}>
        {state.meters.map((meter) => (
          <li key={meter.limit}>
            <MeterLine meter={meter} warnAt={state.budget.warn_at_percent} />
          </li>
        ))}
      </ul>
    </>
  )
}

function MeterLine({ meter, warnAt }: { readonly meter: BudgetMeter; readonly warnAt: number }) {
  const { limit, used, max, resets_at: at } = meter
  const percent = Math.min(100, (used / max) * 100)
  const level = used >= max ? 'used_up' : percent >= warnAt ? 'warned' : 'ok'
  const amount = (value: number) => (limit.startsWith('usd') ? formatMoney(value) : formatNumber(value))
  return (
    <>
      <div className={styles['line']}>
        <span>{t(`budgets:limit.${limit}`)}</span>
        <span className="dimmed">
          {t('budgets:used', { used: amount(used), max: amount(max) })},{' '}
          {tNode('budgets:resets', { time: <Time at={at} /> })}
        </span>
      </div>
      <Progress value={percent} color={colors[level]} aria-label={t(`budgets:limit.${limit}`)} />
    </>
  )
}
