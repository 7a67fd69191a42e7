import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../contract/accounts/users.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { BulkDialog } from '../../ui/bulk/BulkDialog.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { FollowingTokens } from './FollowingTokens.tsx'
import { refreshUsers } from './userActions.tsx'

type Props = { readonly users: readonly User[]; readonly onDone: (left: ReadonlySet<string>) => void }

const actions = ['disable', 'enable', 'revoke', 'delete'] as const
type Action = (typeof actions)[number]

const requests: Readonly<Record<Action, (id: string) => Promise<unknown>>> = {
  disable: (id) => client.users.update({ params: { id }, body: { disabled: true } }),
  enable: (id) => client.users.update({ params: { id }, body: { disabled: false } }),
  revoke: (id) => client.users.revokeSessions({ params: { id } }),
  delete: (id) => client.users.remove({ params: { id } }),
}

function skipReasonOf(action: Action, user: User): string | undefined {
  if (action === 'disable' && user.disabled) return t('users:bulk.is_disabled')
  if (action === 'enable' && !user.disabled) return t('users:bulk.is_active')
  return undefined
}

/** The bulk actions for selected users. */
export function UserBulk({ users, onDone }: Props) {
  const me = useMe()
  const queries = useQueryClient()
  const [chosenAction, setChosenAction] = useState<Action | null>(null)
  const affectedUsers = (action: Action): readonly User[] =>
    users.filter((user) => skipReasonOf(action, user) === undefined)
  const affectedCount = (action: Action): number => affectedUsers(action).length
  // The signed-in user comes last: losing their own access ends the session, and the remaining requests would
  // fail.
  const ordered = users.toSorted((a, b) => Number(a.id === me.id) - Number(b.id === me.id))
  const hasSelf = (action: Action): boolean =>
    action !== 'enable' && users.some((user) => user.id === me.id && skipReasonOf(action, user) === undefined)
  return (
    <>
      {actions.map((action) => (
        <WhyDisabled
          key={action}
          reason={
            affectedCount(action) === 0
              ? t(`users:bulk.nothing.${action === 'enable' ? 'enable' : 'disable'}`)
              : null
          }
        >
          <Button
            variant="default"
            size="compact-sm"
            {...(action === 'delete' && { c: 'var(--pd-bad)' })}
            onClick={() => setChosenAction(action)}
          >
            {t(`users:${action}.action`)}
          </Button>
        </WhyDisabled>
      ))}
      {chosenAction !== null && (
        <BulkDialog
          title={t(`users:bulk.${chosenAction}.title`, { count: affectedCount(chosenAction) })}
          body={
            <>
              {t(`users:bulk.${chosenAction}.body`)}
              {hasSelf(chosenAction) && <p>{t('users:bulk.self')}</p>}
              {(chosenAction === 'disable' || chosenAction === 'delete') && (
                <FollowingTokens userIds={affectedUsers(chosenAction).map(({ id }) => id)} change="end" />
              )}
            </>
          }
          action={t(`users:${chosenAction}.action`)}
          isDangerous={chosenAction !== 'enable'}
          {...(chosenAction === 'delete' && {
            requiredText: t('users:bulk.delete.typed', { count: affectedCount('delete') }),
          })}
          items={ordered.map((user) => ({
            id: user.id,
            name: user.username,
            skip: skipReasonOf(chosenAction, user),
          }))}
          run={requests[chosenAction]}
          onSettled={() => refreshUsers(queries)}
          onAllDone={(count) => toast(t(`users:bulk.${chosenAction}.done`, { count }))}
          onClose={(left) => {
            setChosenAction(null)
            if (left !== null) onDone(left)
          }}
        />
      )}
    </>
  )
}
