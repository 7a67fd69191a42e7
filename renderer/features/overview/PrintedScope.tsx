import { useNow } from '../../lib/format/now.ts'
import { t } from '../../lib/i18n.ts'
import { printedPeriod } from '../../ui/filter/periodText.ts'
import { defaultPeriod, filterNames, type OverviewSearch } from './overview.search.ts'

/** The scope of the figures as text. Displayed only in print, where the controls are hidden. */
export function PrintedScope({ search }: { readonly search: OverviewSearch }) {
  const now = useNow()
  const parts = [
    printedPeriod(search, defaultPeriod, now),
    ...(search.workspace === undefined ? [] : [`${t('overview:print.workspace')}: ${search.workspace}`]),
    ...filterNames.flatMap((name) => {
      const values = search[name]
      return values === undefined ? [] : [`${t(`overview:by.name.${name}`)}: ${values.join(', ')}`]
    }),
  ]
  return <p className="note print-only">{parts.join(' · ')}</p>
}
