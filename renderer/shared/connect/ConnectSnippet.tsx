import { t, tNode } from '../../lib/i18n.ts'
import { serviceUrl } from '../../lib/service/base-path.ts'
import { useMe } from '../../lib/session/me.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectSnippet.module.css'

/** Documented built-in service token. While it is active, the command below works unchanged. */
export const builtInToken = 'promptdeck-dev-token'

/** Returns a JSON string escaped for single quotes in a shell, so that no slug can be run as a command. */
const quoted = (value: string): string => JSON.stringify(value).replaceAll("'", "'\\''")

function curlFor(origin: string, token: string, workspace: string | undefined): string {
  const workspaceField = workspace === undefined ? '' : `,\n  "workspace_id": ${quoted(workspace)}`
  return `curl ${origin}/api/runs \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '{
  "provider": "openai", "model": "gpt-4o", "status": "ok",
  "latency_ms": 840, "prompt_tokens": 812, "output_tokens": 64,
  "ref_key": "greet"${workspaceField}
}'`
}

type Props = {
  /** Slug or id of the workspace that the page shows. */
  readonly workspace?: string | undefined
}

/** Command that reports a run to this service. Running it fills an empty page. */
export function ConnectSnippet({ workspace }: Props) {
  const me = useMe()
  const isBuiltIn = me.defaults.token
  const curl = curlFor(serviceUrl, isBuiltIn ? builtInToken : '$SERVICE_TOKEN', workspace)
  return (
    <div className={styles['snippet']}>
      <div className={styles['head']}>
        <span>{t('common:connect.run')}</span>
        <CopyButton value={curl} label={t('common:connect.copy')} />
      </div>
      <CodeBlock text={curl} label={t('common:connect.run')} />
      <p className={styles['note']}>
        {isBuiltIn
          ? t('common:connect.built_in')
          : tNode('common:connect.token', { name: <span className="mono">SERVICE_TOKEN</span> })}
      </p>
    </div>
  )
}
