import { t } from '../lib/i18n.ts'
import { ConnectWays } from './ConnectWays.tsx'
import { Dialog } from './Dialog.tsx'

type Props = { readonly workspace: string | undefined; readonly onClose: () => void }

/** "Connect your app", from wherever it is asked for. Load it late: it is seldom needed. */
export function ConnectDialog({ workspace, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={t('connect:title')} size={820}>
      <ConnectWays workspace={workspace} />
    </Dialog>
  )
}
