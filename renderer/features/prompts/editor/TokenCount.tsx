import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { Hint } from '../../../ui/display/Hint.tsx'

/** Pause in typing after which the text is counted, in milliseconds. */
const debounceMs = 500

/** The estimated number of tokens of a text, counted by the service. Nothing until it is known. */
export function TokenCount({ text }: { readonly text: string }) {
  const [counted] = useDebouncedValue(text, debounceMs)
  const { data } = useQuery({
    queryKey: ['token count', counted],
    queryFn: async ({ signal }) =>
      (await client.promptKeys.countTokens({ body: { texts: [counted] } }, { signal })).data.counts[0] ??
      null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (data === undefined || data === null) return null
  return (
    <Hint label={t('prompt:edit.tokens_help')}>
      <span data-testid="token-count">{t('prompt:edit.tokens', { tokens: formatNumber(data) })}</span>
    </Hint>
  )
}
