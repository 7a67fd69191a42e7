import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { type McpClient, mcpClients, mcpSnippets } from './snippets/mcpSnippets.ts'
import type { SnippetFor } from './snippets/promptLines.ts'

type Props = { readonly target: SnippetFor }

/** The configuration of one MCP client, with instructions. */
export function McpExample({ target }: Props) {
  const [client, setClient] = useState<McpClient>('claude_code')
  const name = t(`connect:mcp.client.${client}`)
  const code = mcpSnippets[client](target)
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        className={styles['clients'] ?? ''}
        aria-label={t('connect:mcp.clients')}
        data={mcpClients.map((value) => ({ value, label: t(`connect:mcp.client.${value}`) }))}
        value={client}
        onChange={setClient}
      />
      <div className={styles['head']}>
        <span className={styles['note']}>{t(`connect:mcp.instructions.${client}`)}</span>
        <CopyButton value={code} label={t('connect:copy', { language: name })} />
      </div>
      <CodeBlock text={code.trimEnd()} label={name} />
      <p className={styles['after']}>{t('connect:mcp.rights')}</p>
    </>
  )
}
