import { formatMoney } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Hint } from '../../ui/display/Hint.tsx'

/** An amount in US dollars. An unknown cost is a dash with the reason, never 0. */
export function Money({ usd }: { readonly usd: number | null }) {
  const text = <span className="tabular">{formatMoney(usd)}</span>
  return usd === null ? <Hint label={t('common:money.unknown')}>{text}</Hint> : text
}
