import { formatTokens } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Hint } from '../../ui/display/Hint.tsx'

type Props = { readonly count: number | null; readonly isEstimate?: boolean }

/** A token count. An estimate is marked with `~` and explained. */
export function Tokens({ count, isEstimate = false }: Props) {
  // The dash of an unknown count is the same as beside other figures.
  const text = (
    <span className={count === null ? 'tabular' : 'mono tabular'}>{formatTokens(count, isEstimate)}</span>
  )
  return isEstimate && count !== null ? <Hint label={t('common:tokens.estimate')}>{text}</Hint> : text
}
