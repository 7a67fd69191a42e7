import type { Network } from '../../../../contract/system/network.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../shared/editing/useUnsaved.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { Blockers } from './Blockers.tsx'
import { NetworkFacts } from './NetworkFacts.tsx'
import { NetworkFields, noNetworkChanges, parsePort } from './NetworkFields.tsx'
import styles from './network.module.css'
import { SharingSwitch } from './SharingSwitch.tsx'
import { useSaveNetwork } from './useSaveNetwork.ts'

export function NetworkSettings({ network }: { readonly network: Network }) {
  const unsaved = useUnsaved('settings.network', noNetworkChanges)
  const { name, port, isAll, chosen, isDiscoverable } = unsaved.values
  const title = t('settings:network.title')
  const saving = useSaveNetwork((_, sent) => {
    unsaved.removeSaved(sent ?? noNetworkChanges)
    toast(t('settings:saved', { group: title }))
  }, unsaved.values)
  const newPort = port === null ? network.port : parsePort(port)
  const usesAll = isAll ?? network.chosen_interfaces === null
  const selected = chosen ?? selectedOf(network)
  const isInvalid = newPort === null || (!usesAll && selected.length === 0)
  const save = (): void => {
    if (newPort === null || isInvalid) return
    saving.mutate({
      enabled: network.enabled,
      ...(name !== null && { name: name.trim() === '' ? null : name.trim() }),
      ...(port !== null && { port: newPort }),
      ...(isDiscoverable !== null && { discoverable: isDiscoverable }),
      ...((isAll !== null || chosen !== null) && { interfaces: usesAll ? null : [...selected] }),
    })
  }
  return (
    <SettingsGroup
      id="network"
      title={title}
      purpose={t('settings:network.purpose')}
      updated={network.updated === null ? [] : [network.updated]}
      aside={<SharingSwitch network={network} />}
      saving={{
        isDirty: [name, port, isAll, chosen, isDiscoverable].some((value) => value !== null),
        isRestored: unsaved.isRestored,
        isPending: saving.isPending,
        error: saving.error,
        onSave: save,
        onReset: () => {
          unsaved.reset()
          saving.reset()
        },
      }}
    >
      <Blockers network={network} />
      <NetworkFacts network={network} />
      <NetworkFields
        network={network}
        isPortInvalid={newPort === null}
        values={{
          name: name ?? network.name,
          port: port ?? String(network.port),
          usesAll,
          selected,
          isDiscoverable: isDiscoverable ?? network.discoverable,
        }}
        onChange={unsaved.set}
      />
      {network.fixed.length > 0 && (
        <p className={styles['note']}>
          {tNode('settings:network.fixed', {
            names: <span className="mono">{network.fixed.join(', ')}</span>,
          })}
        </p>
      )}
    </SettingsGroup>
  )
}

/** Returns the chosen interfaces, or the current ones while all are chosen. */
const selectedOf = ({ chosen_interfaces: chosen, interfaces }: Network): readonly string[] =>
  chosen ?? [...new Set(interfaces.map(({ name }) => name))]
