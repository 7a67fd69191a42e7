import { t, tNode } from '../lib/i18n.ts'
import { useMe } from '../lib/me.ts'
import { CodeBlock } from './CodeBlock.tsx'
import styles from './ConnectSnippet.module.css'
import { builtInToken, quoted } from './ConnectSnippet.tsx'
import { CopyButton } from './CopyButton.tsx'

/** `token` is an expression: a literal, or where the program finds it. */
function nodeFor(origin: string, token: string, workspace: string | undefined): string {
  const where = workspace === undefined ? '' : `  workspace: ${quoted(workspace)},\n`
  return `node -e '
const socket = new WebSocket("${origin.replace(/^http/, 'ws')}/ws")
socket.onopen = () => socket.send(JSON.stringify({
  type: "hello", client: "node-sdk",
  app: "my-app", namespace: "prod",
${where}  token: ${token}
}))
socket.onmessage = (e) => console.log(e.data)
socket.onclose = (e) => console.log(e.code, e.reason)
'`
}

type Props = {
  /** Slug or id of the workspace the page shows. */
  readonly workspace?: string | undefined
}

/** How an app opens a live connection to this very service. */
export function ListenSnippet({ workspace }: Props) {
  const { defaults } = useMe()
  const token = defaults.token ? JSON.stringify(builtInToken) : 'process.env.SERVICE_TOKEN'
  const command = nodeFor(location.origin, token, workspace)
  return (
    <div className={styles['snippet']}>
      <div className={styles['head']}>
        <span>{t('common:connect.listen')}</span>
        <CopyButton value={command} label={t('common:connect.listen_copy')} />
      </div>
      <CodeBlock text={command} label={t('common:connect.listen')} />
      <p className={styles['note']}>
        {tNode('common:connect.listen_node', {
          flag: <span className="mono">--experimental-websocket</span>,
        })}
      </p>
    </div>
  )
}
