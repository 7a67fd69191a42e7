import { Select } from '@mantine/core'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t, tNode } from '../../lib/i18n.ts'

/** The use of the gateway by a token, as one choice. */
const gatewayUses = ['off', 'provider_key', 'own_key'] as const
export type GatewayUse = (typeof gatewayUses)[number]

export const gatewayUseOf = ({ gateway, pass_through_key: isOwn }: ApiToken): GatewayUse =>
  gateway ? (isOwn ? 'own_key' : 'provider_key') : 'off'

/** Returns the fields of a request that set the use of the gateway. */
export const gatewayFields = (use: GatewayUse) => ({
  gateway: use !== 'off',
  pass_through_key: use === 'own_key',
})

type Props = { readonly value: GatewayUse; readonly onChange: (use: GatewayUse) => void }

/** The choice of whether a token may use the gateway, and with whose keys. */
export const GatewayField = ({ value, onChange }: Props) => (
  <Select
    label={t('tokens:gateway')}
    description={tNode(`tokens:gateway_help_${value}`, {
      header: <span className="mono whole">Promptdeck-Token</span>,
    })}
    data={gatewayUses.map((use) => ({ value: use, label: t(`tokens:gateway_${use}`) }))}
    value={value}
    onChange={(use) => onChange(gatewayUses.find((known) => known === use) ?? 'off')}
  />
)
