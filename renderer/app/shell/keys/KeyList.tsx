import { Kbd } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { keyLabel } from '../../../lib/page/keyLabel.ts'
import { useKeyList } from '../../../lib/page/keys.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import styles from './KeyList.module.css'

type Props = { readonly onClose: () => void }

/** Dialog that lists the keyboard shortcuts of the current page. */
export function KeyList({ onClose }: Props) {
  const keys = useKeyList()
  return (
    <Dialog onClose={onClose} title={t('shell:keys.title')} size={420}>
      <dl className={styles['list']}>
        {keys.toReversed().map(({ keys: pressed, label }) => (
          <div key={pressed} className={styles['line']}>
            <dt>{label}</dt>
            <dd>
              {pressed.split(' ').map((key) => (
                <Kbd key={key} size="xs">
                  {keyLabel(key)}
                </Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
