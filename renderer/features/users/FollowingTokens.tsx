import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { followingTokensQuery } from './users.queries.ts'

type Props = { readonly userIds: readonly string[]; readonly change: 'end' | 'shrink' }

/**
 * A note with the number of API tokens that a change of these users ends or limits; empty if there are none.
 */
export function FollowingTokens({ userIds, change }: Props) {
  const count = useQuery({ ...followingTokensQuery(userIds), enabled: userIds.length > 0 }).data ?? 0
  if (count === 0) return null
  const isSeveral = change === 'end' && userIds.length > 1
  return <p>{t(isSeveral ? 'users:tokens_end_all' : `users:tokens_${change}`, { count })}</p>
}
