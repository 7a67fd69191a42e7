import { Modal } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { ConnectSnippet } from '../../ui/ConnectSnippet.tsx'
import { ListenSnippet } from '../../ui/ListenSnippet.tsx'
import styles from './clients.module.css'

type Props = { readonly workspace: string | undefined }

function Ways({ workspace }: Props) {
  return (
    <div className={styles['ways']}>
      <ListenSnippet workspace={workspace} />
      <ConnectSnippet workspace={workspace} />
    </div>
  )
}

/** Stands above the list while nothing but consoles is connected; it goes by itself when the first app joins. */
export function ConnectPanel({ workspace }: Props) {
  return (
    <section className={styles['panel']} aria-labelledby="connect-title" data-testid="connect">
      <div>
        <h2 id="connect-title" className={styles['panelTitle']}>
          {t('clients:connect.title')}
        </h2>
        <p className={styles['note']}>
          {t('clients:connect.none')} {t('clients:connect.text')}
        </p>
      </div>
      <Ways workspace={workspace} />
    </section>
  )
}

/** The same, asked for. */
export function ConnectModal({ workspace, onClose }: Props & { readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('clients:connect.title')}
      size={980}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <div className={styles['inModal']}>
        <p className={styles['note']}>{t('clients:connect.text')}</p>
        <Ways workspace={workspace} />
      </div>
    </Modal>
  )
}
