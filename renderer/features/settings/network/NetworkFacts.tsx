import type { Network } from '../../../../contract/system/network.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge, type Tone } from '../../../ui/display/Badge.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { NewAuthority } from './NewAuthority.tsx'
import styles from './network.module.css'

const tones: Readonly<Record<Network['state'], Tone>> = {
  off: 'quiet',
  listening: 'ok',
  blocked: 'warn',
  failed: 'bad',
}

/** The state of sharing; while the service is shared, its addresses and what other devices compare. */
export function NetworkFacts({ network }: { readonly network: Network }) {
  const { state, addresses, words, fingerprint, certificate } = network
  return (
    <>
      <Facts
        facts={[
          {
            label: t('settings:network.state'),
            value: <Badge tone={tones[state]}>{t(`settings:network.state_${state}`)}</Badge>,
          },
          addresses.length > 0 && {
            label: t('settings:network.addresses'),
            value: <Addresses addresses={addresses} />,
          },
          words.length > 0 && {
            label: t('settings:network.words'),
            value: <span className={styles['words']}>{words.join(' · ')}</span>,
            copy: words.join(' '),
          },
          fingerprint !== null && {
            label: t('settings:network.fingerprint'),
            value: <span className="mono">{fingerprint}</span>,
            copy: fingerprint,
          },
          certificate !== null && {
            label: t('settings:network.certificate'),
            value: (
              <span>
                {t(`settings:network.certificate_${certificate.source}`)} <Time at={certificate.not_after} />
              </span>
            ),
          },
          certificate?.source === 'local' && {
            label: t('settings:network.authority'),
            value: (
              <span>
                {t('settings:network.authority_expires')} <Time at={certificate.authority_not_after} />
              </span>
            ),
          },
        ]}
      />
      {words.length > 0 && <p className={styles['note']}>{t('settings:network.compare')}</p>}
      {certificate?.source === 'local' && <NewAuthority />}
    </>
  )
}

function Addresses({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <ul className={styles['addresses']}>
      {addresses.map((address) => (
        <li key={address}>
          <span className="mono">{address}</span>
          <CopyButton value={address} label={t('settings:network.copy_address', { address })} />
        </li>
      ))}
    </ul>
  )
}
