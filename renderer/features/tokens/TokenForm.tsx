import { Checkbox, Group, Select, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Access, Membership } from '../../../contract/accounts/access.ts'
import { environments } from '../../../contract/common/environments.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { AccessField } from '../../shared/access/AccessField.tsx'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { GatewayField, type GatewayUse, gatewayFields } from './GatewayField.tsx'

type Values = {
  name: string
  role: Role
  access: Access
  memberships: Membership[]
  workspace: string
  namespaces: (typeof environments)[number][]
  /** Days from now; empty for the longest lifetime that the settings allow. */
  expires_at: string
  gateway: GatewayUse
  isService: boolean
}

/** A created token with its secret, which the service returns only once. */
export type NewToken = { readonly token: string; readonly notice: string | null }

type Props = {
  /** The longest lifetime that the settings allow, in days. */
  readonly maxDays: number
  readonly onCreated: (token: NewToken) => void
  readonly onClose: () => void
}

const days = [7, 30, 90, 180]
const dayMs = 24 * 3_600_000

export function TokenForm({ maxDays, onCreated, onClose }: Props) {
  const queries = useQueryClient()
  const workspaces = useQuery(workspaceChoicesQuery)
  const create = async ({
    name,
    role,
    access,
    memberships,
    workspace,
    namespaces,
    expires_at,
    gateway,
    isService,
  }: Values): Promise<void> => {
    const { data } = await client.tokens.create({
      body: {
        name,
        ...(access === 'all' ? { role } : { access, memberships }),
        workspace: access === 'listed' || workspace === '' ? null : workspace,
        namespaces: namespaces.length === 0 ? null : namespaces,
        expires_at:
          expires_at === '' ? null : new Date(Date.now() + Number(expires_at) * dayMs).toISOString(),
        ...gatewayFields(gateway),
        ...(isService && { binding: 'service' as const }),
      },
    })
    onCreated(data)
    await invalidateEntities(queries, 'token', 'audit')
  }
  return (
    <FormModal<Values>
      title={t('tokens:add')}
      initial={{
        name: '',
        role: 'viewer',
        access: 'all',
        memberships: [],
        workspace: '',
        namespaces: [],
        expires_at: '',
        gateway: 'off',
        isService: false,
      }}
      submitLabel={t('tokens:add')}
      onSubmit={create}
      onClose={onClose}
      rules={{ name: (value) => (value.trim() === '' ? t('tokens:name_missing') : null) }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('tokens:name')}
            description={t('tokens:name_help')}
            maxLength={128}
            autoComplete="off"
            data-autofocus
          />
          <AccessField
            {...form.getValues()}
            onAccess={(access) => form.setFieldValue('access', access)}
            onMemberships={(memberships) => form.setFieldValue('memberships', memberships)}
            role={
              <>
                <Select
                  {...form.getInputProps('role')}
                  label={t('tokens:role')}
                  description={t('tokens:role_help')}
                  data={roles.map((role) => ({ value: role, label: t(`common:role.${role}`) }))}
                />
                <Select
                  {...form.getInputProps('workspace')}
                  label={t('tokens:workspace')}
                  data={[
                    { value: '', label: t('tokens:any_workspace') },
                    ...(workspaces.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                  ]}
                  searchable
                />
              </>
            }
          />
          <Checkbox.Group
            {...form.getInputProps('namespaces')}
            label={t('tokens:environments')}
            description={t('tokens:environments_help')}
          >
            <Group gap="lg" py="xs">
              {environments.map((env) => (
                <Checkbox key={env} value={env} label={env} />
              ))}
            </Group>
          </Checkbox.Group>
          <Select
            {...form.getInputProps('expires_at')}
            label={t('tokens:expiry')}
            data={lifetimes(maxDays)}
          />
          <GatewayField
            value={form.values.gateway}
            onChange={(gateway) => form.setFieldValue('gateway', gateway)}
          />
          <Checkbox
            {...form.getInputProps('isService', { type: 'checkbox' })}
            label={t('tokens:binding_service')}
            description={t('tokens:service_help')}
          />
        </>
      )}
    </FormModal>
  )
}

/** Returns the choices of a lifetime in days, the longest one first. */
const lifetimes = (maxDays: number) => [
  { value: '', label: t('tokens:expiry_longest', { count: maxDays }) },
  ...days
    .filter((count) => count < maxDays)
    .map((count) => ({ value: String(count), label: t('tokens:expiry_days', { count }) })),
]
