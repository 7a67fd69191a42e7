import { Loader, Radio, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import type { User } from '../../../contract/accounts/users.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { OwnerSelect } from './OwnerSelect.tsx'
import { likelyOwner } from './tokens.queries.ts'

type Values = { binding: 'owner' | 'service'; owner: User | null }

type Props = { readonly token: ApiToken; readonly onClose: () => void }

/** A dialog for choosing the owner of an API token: a user, or none. */
export function TokenDecision({ token, onClose }: Props) {
  const likely = useQuery(likelyOwner(token))
  const title = t('tokens:decide_title', { name: token.name })
  if (likely.data === undefined) {
    return (
      <Dialog onClose={onClose} title={title}>
        {likely.error === null ? (
          <Loader size="sm" aria-label={t('common:loading')} />
        ) : (
          <ErrorState error={likely.error} onRetry={() => void likely.refetch()} />
        )}
      </Dialog>
    )
  }
  return <Decision token={token} title={title} likely={likely.data} onClose={onClose} />
}

type DecisionProps = Props & { readonly title: string; readonly likely: User | null }

function Decision({ token, title, likely, onClose }: DecisionProps) {
  const queries = useQueryClient()
  const save = async ({ binding, owner }: Values): Promise<void> => {
    await client.tokens.update({
      params: { id: token.id },
      body: binding === 'owner' && owner !== null ? { binding, owner: owner.id } : { binding: 'service' },
    })
    await invalidateEntities(queries, 'token', 'audit')
    toast(t('tokens:decided', { name: token.name }))
  }
  return (
    <FormModal<Values>
      title={title}
      initial={{ binding: token.binding === 'service' ? 'service' : 'owner', owner: likely }}
      submitLabel={t('common:save')}
      onSubmit={save}
      onClose={onClose}
      rules={{
        owner: (owner, { binding }) =>
          binding === 'owner' && owner === null ? t('tokens:user_missing') : null,
      }}
    >
      {(form) => (
        <>
          <Radio.Group {...form.getInputProps('binding')} label={t('tokens:owner')}>
            <Stack gap="sm" mt="sm">
              {(['owner', 'service'] as const).map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={t(`tokens:binding_${value}`)}
                  description={t(`tokens:binding_${value}_help`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          {form.values.binding === 'owner' && (
            <OwnerSelect
              role={token.role}
              user={form.values.owner}
              error={form.errors['owner']?.toString()}
              onChange={(owner) => form.setFieldValue('owner', owner)}
            />
          )}
        </>
      )}
    </FormModal>
  )
}
