import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../contract/accounts/users.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { ownerChoices } from './tokens.queries.ts'

const searchWaitMs = 150

type Props = {
  /** The role of the token; an owner with a lower role limits it. */
  readonly role: Role
  readonly user: User | null
  readonly error?: string | undefined
  readonly onChange: (user: User) => void
}

/** A select for the owner of a token; the service searches the users. */
export function OwnerSelect({ role, user, error, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const labelOf = ({ username, role: userRole }: User): string =>
    `${username} (${t(`common:role.${userRole}`)})`
  // Selecting a user fills the field with the label, which is not a search.
  const [search] = useDebouncedValue(user !== null && typed === labelOf(user) ? '' : typed, searchWaitMs)
  const matching = useQuery(ownerChoices(search)).data ?? []
  const users = user === null || matching.some(({ id }) => id === user.id) ? matching : [user, ...matching]
  const isLimiting = user !== null && roles.indexOf(user.role) < roles.indexOf(role)
  return (
    <Select
      label={t('tokens:user')}
      {...(isLimiting && {
        description: t('tokens:limits', {
          name: user.username,
          role: t(`common:role.${user.role}`),
        }),
      })}
      data={users.map((candidate) => ({ value: candidate.id, label: labelOf(candidate) }))}
      value={user?.id ?? null}
      onChange={(id) => {
        const chosen = users.find((candidate) => candidate.id === id)
        if (chosen !== undefined) onChange(chosen)
      }}
      searchValue={typed}
      onSearchChange={setTyped}
      error={error}
      nothingFoundMessage={t('tokens:user_none')}
      searchable
    />
  )
}
