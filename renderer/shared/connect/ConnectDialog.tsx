import { t } from '../../lib/i18n.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ConnectExamples, type ConnectedPrompt } from './ConnectExamples.tsx'
import { ConnectedNote } from './ConnectedNote.tsx'

type Props = {
  readonly workspace: string | undefined
  readonly prompt?: ConnectedPrompt | undefined
  readonly onClose: () => void
}

/** The "Connect your app" dialog. Load it on demand, because it is rarely used. */
export function ConnectDialog({ workspace, prompt, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={t('connect:title')} size={820}>
      <ConnectedNote />
      <ConnectExamples workspace={workspace} prompt={prompt} />
    </Dialog>
  )
}
