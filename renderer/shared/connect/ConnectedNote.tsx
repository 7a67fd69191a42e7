import { IconPlugConnected } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import styles from './ConnectExamples.module.css'

/** Fetches the app that connected last; null if none is connected. Live updates fetch it again. */
const newestClientQuery = queryOptions({
  queryKey: ['client', 'newest'],
  queryFn: async ({ signal }) => {
    const query = { kind: 'app', limit: 1, sort: '-connected_at' }
    return (await client.clients.list({ query }, { signal })).data[0] ?? null
  },
})

/** Waits for an app to connect, and shows it when it does. */
export function ConnectedNote() {
  const { data: newest } = useQuery(newestClientQuery)
  // The newest client when the note appeared. Only a different one is displayed.
  const [earlierId, setEarlierId] = useState<string | null | undefined>(undefined)
  if (newest !== undefined && earlierId === undefined) setEarlierId(newest?.id ?? null)
  const isConnected = newest != null && earlierId !== undefined && newest.id !== earlierId
  return (
    <div className={styles['connected']} data-connected={isConnected || undefined} role="status">
      <IconPlugConnected size={16} />
      {isConnected ? (
        <>
          <span>
            {tNode('connect:connected', { app: <b>{newest.app}</b>, environment: newest.namespace })}
          </span>
          <LinkButton variant="default" size="compact-xs" to="/clients/{-$id}" params={{ id: newest.id }}>
            {t('connect:connected_show')}
          </LinkButton>
        </>
      ) : (
        t('connect:waiting')
      )}
    </div>
  )
}
