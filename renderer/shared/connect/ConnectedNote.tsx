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
  // Each note begins with the apps that are connected now.
  gcTime: 0,
  queryFn: async ({ signal }) => {
    const query = { kind: 'app', limit: 1, sort: '-connected_at' }
    return (await client.clients.list({ query }, { signal })).data[0] ?? null
  },
})

/** Waits for an app to connect, and shows it when it does. */
export function ConnectedNote() {
  const { data: newest } = useQuery(newestClientQuery)
  // Connection time of the newest client when the note was opened. Only later clients are displayed.
  const [before, setBefore] = useState<string | null>(null)
  if (newest !== undefined && before === null) setBefore(newest?.connected_at ?? '')
  const isConnected = newest != null && before !== null && newest.connected_at > before
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
