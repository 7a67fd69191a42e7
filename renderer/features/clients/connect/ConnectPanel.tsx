import { t } from '../../../lib/i18n.ts'
import { LazyConnectExamples } from '../../../shared/connect/LazyConnect.tsx'
import styles from '../clients.module.css'

type Props = { readonly workspace: string | undefined }

/** Instructions for connecting an app. Displayed above the list while only consoles are connected. */
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
      <LazyConnectExamples workspace={workspace} />
    </section>
  )
}
