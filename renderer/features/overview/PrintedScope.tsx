import { formatExact } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { isCustom } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import styles from './overview.module.css'
import { defaultPeriod, filterNames, type OverviewSearch } from './overview.search.ts'

const local = (iso: string): string => formatExact(new Date(iso)).local

function periodOf(search: OverviewSearch): string {
  const { from, to } = search
  if (!isCustom(search)) return t(`common:period.${search.period ?? defaultPeriod}`)
  if (from === undefined) return t('common:period.until', { to: local(to ?? '') })
  return to === undefined ? t('common:period.since', { from: local(from) }) : `${local(from)} – ${local(to)}`
}

/** The scope and time of the figures as text. Displayed only in print, where the controls are hidden. */
export function PrintedScope({ search }: { readonly search: OverviewSearch }) {
  const now = useNow()
  const parts = [
    periodOf(search),
    ...(search.workspace === undefined ? [] : [`${t('overview:print.workspace')}: ${search.workspace}`]),
    ...filterNames.flatMap((name) => {
      const values = search[name]
      return values === undefined ? [] : [`${t(`overview:by.name.${name}`)}: ${values.join(', ')}`]
    }),
    t('overview:print.at', { time: formatExact(new Date(now)).local }),
  ]
  return <p className={styles['printed']}>{parts.join(' · ')}</p>
}
