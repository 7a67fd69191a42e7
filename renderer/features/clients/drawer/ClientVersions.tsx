import { Link } from '@tanstack/react-router'
import { environments } from '../../../../contract/common/environments.ts'
import { everyNamespace } from '../../../../contract/live/frames.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import type { ClientRow } from '../clientRow.ts'
import styles from '../clients.module.css'

/**
 * A table of the client's keys with the acknowledged version and its time, including keys never acknowledged.
 */
export function ClientVersions({ client }: { readonly client: ClientRow }) {
  const acked = new Map(client.acked.map((ack) => [ack.key, ack]))
  const keys = [...new Set([...client.keys, ...acked.keys()])].toSorted()
  if (keys.length === 0) {
    const isConsole = client.namespace === everyNamespace
    return (
      <p className={styles['note']}>
        {t(isConsole ? 'clients:drawer.console_keys' : 'clients:drawer.no_keys')}
      </p>
    )
  }
  return (
    <table className={styles['versions']} aria-label={t('clients:drawer.versions')}>
      <thead>
        <tr>
          <th scope="col">{t('clients:drawer.key')}</th>
          <th scope="col">{t('clients:drawer.version')}</th>
          <th scope="col">{t('clients:drawer.acked')}</th>
          <th scope="col">{t('clients:drawer.state')}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => {
          const ack = acked.get(key)
          return (
            <tr key={key}>
              <td className="mono">
                <PromptLink client={client} name={key} />
              </td>
              <td className="mono">
                {ack?.version ?? <span className="dimmed">{t('clients:drawer.not_acked')}</span>}
              </td>
              <td>
                <Time at={ack?.at ?? null} />
              </td>
              <td>
                <VersionStatus client={client} name={key} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** A badge that compares the client's version with the served one; nothing if that is unknown. */
function VersionStatus({ client, name }: { readonly client: ClientRow; readonly name: string }) {
  if (client.missing.includes(name)) return <Badge tone="warn">{t('clients:state.missing')}</Badge>
  if (client.behind.includes(name)) return <Badge tone="warn">{t('clients:state.outdated')}</Badge>
  const isKnown =
    client.acked.some((ack) => ack.key === name) && environments.some((env) => env === client.namespace)
  return isKnown ? <Badge tone="ok">{t('clients:state.current')}</Badge> : null
}

/** A link to the prompt in the client's environment; plain text for any other namespace. */
function PromptLink({ client, name }: { readonly client: ClientRow; readonly name: string }) {
  const env = environments.find((candidate) => candidate === client.namespace)
  if (env === undefined) return name
  return (
    <Link
      to="/prompts"
      search={{ key: [name], env: [env], workspace: client.workspace }}
      className={styles['prompt'] ?? ''}
    >
      {name}
    </Link>
  )
}
