import { Button } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { useShowNetwork } from './useSaveNetwork.ts'

/** Button that replaces the certificate authority. */
export function NewAuthority() {
  const show = useShowNetwork()
  const create = (): Promise<boolean> =>
    confirm({
      title: t('settings:network.new_authority_title'),
      body: t('settings:network.new_authority_body'),
      action: t('settings:network.new_authority'),
      isDangerous: true,
      run: async () => {
        show((await client.network.replaceAuthority({})).data)
        toast(t('settings:network.new_authority_done'))
      },
    })
  return (
    <div>
      <Button variant="default" size="xs" onClick={() => void create()}>
        {t('settings:network.new_authority')}
      </Button>
    </div>
  )
}
