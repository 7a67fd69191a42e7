import { lazyPart } from '../../lib/page/lazyPart.tsx'
import { useStore } from '../../lib/state/store.ts'
import { exportCount } from '../feedback/toast.ts'
import styles from './ExportTray.module.css'

const ExportTray = lazyPart(async () => (await import('./ExportTray.tsx')).ExportTray)

/** The progress of exports, below the page, so that it covers nothing. Its code loads with the first export. */
export function Exports() {
  if (useStore(exportCount) === 0) return null
  return (
    <div className={styles['tray']}>
      <ExportTray />
    </div>
  )
}
