import './pairing.texts.ts'
import { useState } from 'react'
import type { OpenedPairing } from '../../../contract/accounts/pairing.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { PairingCode } from './PairingCode.tsx'
import { type Rights, RightsForm } from './RightsForm.tsx'

/** A dialog that adds a device: rights of the new user, then QR code and code, then the request. */
export function AddDevice({ onClose }: { readonly onClose: () => void }) {
  const [opened, setOpened] = useState<{ window: OpenedPairing; rights: Rights } | null>(null)
  const open = async (rights: Rights): Promise<void> => {
    const { data } = await client.pairing.open({ body: rights })
    setOpened({ window: data, rights })
  }
  if (opened === null) return <RightsForm onSubmit={open} onClose={onClose} />
  const close = (): void => {
    // The window may have ended already. If the request fails, it ends after five minutes.
    client.pairing.close({}).catch(() => undefined)
    onClose()
  }
  return (
    <Dialog onClose={close} title={t('pairing:title')} size={620} closeOnClickOutside={false}>
      <PairingCode
        key={opened.window.id}
        opened={opened.window}
        onAgain={() => open(opened.rights)}
        onClose={close}
      />
    </Dialog>
  )
}
