import { Checkbox, Radio, Stack, Switch, TextInput } from '@mantine/core'
import type { Network } from '../../../../contract/system/network.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './network.module.css'

/** Unsaved input; null: unchanged. */
export type NetworkChanges = {
  readonly name: string | null
  readonly port: string | null
  readonly isAll: boolean | null
  readonly chosen: readonly string[] | null
  readonly isDiscoverable: boolean | null
}
export const noNetworkChanges: NetworkChanges = {
  name: null,
  port: null,
  isAll: null,
  chosen: null,
  isDiscoverable: null,
}

export function parsePort(text: string): number | null {
  const port = Number(text.trim())
  return /^\d{1,5}$/.test(text.trim()) && port >= 1 && port <= 65_535 ? port : null
}

type Props = {
  readonly network: Network
  readonly values: {
    readonly name: string
    readonly port: string
    readonly usesAll: boolean
    readonly selected: readonly string[]
    readonly isDiscoverable: boolean
  }
  readonly isPortInvalid: boolean
  readonly onChange: (changes: Partial<NetworkChanges>) => void
}

/** Fields for the name, the port and the interfaces of the service on the network. */
export function NetworkFields({ network, values, isPortInvalid, onChange }: Props) {
  const isFixed = (variable: string): boolean => network.fixed.includes(variable)
  return (
    <>
      <div className={styles['fields']}>
        <TextInput
          label={t('settings:network.name')}
          description={t('settings:network.name_help')}
          maxLength={63}
          value={values.name}
          readOnly={isFixed('LAN_NAME')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t('settings:network.port')}
          description={t('settings:network.port_help')}
          inputMode="numeric"
          maxLength={5}
          value={values.port}
          readOnly={isFixed('LAN_PORT')}
          onChange={(event) => onChange({ port: event.currentTarget.value })}
          error={isPortInvalid ? t('settings:network.port_range') : null}
        />
      </div>
      <Radio.Group
        label={t('settings:network.interfaces')}
        value={values.usesAll ? 'all' : 'chosen'}
        onChange={(value) => onChange({ isAll: value === 'all' })}
      >
        <Stack gap="sm" mt="sm">
          <Radio
            value="all"
            label={t('settings:network.all')}
            description={t('settings:network.all_help')}
            disabled={isFixed('LAN_INTERFACES')}
          />
          <Radio
            value="chosen"
            label={t('settings:network.chosen')}
            description={t('settings:network.chosen_help')}
            disabled={isFixed('LAN_INTERFACES')}
          />
        </Stack>
      </Radio.Group>
      {!values.usesAll && <Interfaces network={network} selected={values.selected} onChange={onChange} />}
      <Switch
        label={t('settings:network.discoverable')}
        description={t('settings:network.discoverable_help')}
        checked={values.isDiscoverable}
        disabled={isFixed('LAN_DISCOVERY')}
        onChange={(event) => onChange({ isDiscoverable: event.currentTarget.checked })}
      />
      {network.discovery !== 'off' && (
        <p className={styles['note']} role="status">
          {t(`settings:network.discovery_${network.discovery}`)}
        </p>
      )}
    </>
  )
}

function Interfaces({
  network,
  selected,
  onChange,
}: Pick<Props, 'network' | 'onChange'> & { readonly selected: readonly string[] }) {
  // An interface that is missing now may be chosen.
  const names = [...new Set([...network.interfaces.map(({ name }) => name), ...selected])]
  const addressesOf = (name: string): string =>
    network.interfaces
      .filter((entry) => entry.name === name)
      .map(({ address }) => address)
      .join(', ')
  return (
    <Checkbox.Group
      value={[...selected]}
      onChange={(chosen) => onChange({ isAll: false, chosen })}
      aria-label={t('settings:network.interfaces')}
      error={selected.length === 0 ? t('settings:network.interfaces_required') : null}
    >
      <Stack gap="sm" className={styles['interfaces'] ?? ''}>
        {names.map((name) => (
          <Checkbox
            key={name}
            value={name}
            label={<span className="mono">{name}</span>}
            description={addressesOf(name) || t('settings:network.interface_missing')}
            disabled={network.fixed.includes('LAN_INTERFACES')}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
