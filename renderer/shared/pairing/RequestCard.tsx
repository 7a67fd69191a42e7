import './pairing.texts.ts'
import { Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PairingRequest } from '../../../contract/accounts/pairing.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { KindBadge } from './KindBadge.tsx'
import styles from './pairing.module.css'

/** The requested role and workspaces, as a phrase. */
function describe({ account, username, role, access, memberships }: PairingRequest): string {
  const roleName = t(`common:role.${role}`)
  const name = username ?? ''
  const count = memberships.length
  if (account === 'existing') return t('pairing:request.existing', { username: name, role: roleName })
  if (access === 'listed') return t(`pairing:request.${account}_listed`, { username: name, count })
  return t(`pairing:request.${account}`, { username: name, role: roleName })
}

/** A request of a device: who it is, the words to compare, and the answer. */
export function RequestCard({ request }: { readonly request: PairingRequest }) {
  const { id, name, kind, status, words, address, user_agent: agent } = request
  const queries = useQueryClient()
  const answer = useMutation({
    mutationFn: async (verb: 'approve' | 'refuse') => {
      await client.pairing[verb]({ params: { id } })
      return verb
    },
    onSuccess: (verb) => {
      toast(t(verb === 'approve' ? 'pairing:request.approved' : 'pairing:request.refused', { name }))
    },
    onSettled: () => invalidateEntities(queries, 'pairing', 'device', 'user', 'audit'),
  })
  return (
    <article className={styles['request']} aria-label={name}>
      <div className={styles['line']}>
        <b>
          <bdi>{name}</bdi>
        </b>
        <KindBadge kind={kind} />
        {status !== 'pending' && (
          <Badge tone={status === 'approved' ? 'ok' : 'warn'}>{t(`pairing:request.status_${status}`)}</Badge>
        )}
      </div>
      <div>{describe(request)}</div>
      <div className="dimmed">
        {agent === '' ? address : t('pairing:request.from', { agent: describeAgent(agent), address })}
      </div>
      {status === 'pending' && (
        <>
          <div>
            {t('pairing:request.compare')} <b className="mono">{words.join(' ')}</b>
          </div>
          {answer.error !== null && <FormFailure error={answer.error} />}
          <Group justify="flex-end" gap="sm">
            <Button
              variant="default"
              aria-label={t('pairing:request.refuse_named', { name })}
              disabled={answer.isPending}
              onClick={() => answer.mutate('refuse')}
            >
              {t('pairing:request.refuse')}
            </Button>
            <Button
              aria-label={t('pairing:request.approve_named', { name })}
              loading={answer.isPending && answer.variables === 'approve'}
              disabled={answer.isPending}
              onClick={() => answer.mutate('approve')}
            >
              {t('pairing:request.approve')}
            </Button>
          </Group>
        </>
      )}
    </article>
  )
}
