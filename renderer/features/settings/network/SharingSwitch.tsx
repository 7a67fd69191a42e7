import { Button } from '@mantine/core'
import type { Network } from '../../../../contract/system/network.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { fixedText } from '../Fixed.tsx'
import styles from './network.module.css'
import { useSaveNetwork } from './useSaveNetwork.ts'

/** Button that turns sharing on, or off after a confirmation. */
export function SharingSwitch({ network }: { readonly network: Network }) {
  const saving = useSaveNetwork(({ enabled }) =>
    toast(t(enabled ? 'settings:network.turned_on' : 'settings:network.turned_off')),
  )
  const stop = (): Promise<boolean> =>
    confirm({
      title: t('settings:network.stop_title'),
      body: t('settings:network.stop_body'),
      action: t('settings:network.stop'),
      isDangerous: true,
      run: async () => {
        await saving.mutateAsync({ enabled: false })
      },
    })
  const { enabled } = network
  const reason = network.fixed.includes('LAN')
    ? fixedText('LAN')
    : !enabled && network.blockers.length > 0
      ? t('settings:network.blocked')
      : null
  return (
    <div className={styles['switch']}>
      <WhyDisabled reason={reason}>
        <Button
          variant={enabled ? 'default' : 'filled'}
          loading={saving.isPending}
          onClick={() => (enabled ? void stop() : saving.mutate({ enabled: true }))}
        >
          {t(enabled ? 'settings:network.stop' : 'settings:network.share')}
        </Button>
      </WhyDisabled>
      {saving.error !== null && !enabled && <FormFailure error={saving.error} />}
    </div>
  )
}
