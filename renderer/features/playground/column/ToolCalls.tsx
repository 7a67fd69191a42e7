import type { ToolCall } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from './outcome.module.css'

/** The tool calls that the model requested. None of them is executed. */
export function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  if (calls.length === 0) return null
  return (
    <div className={styles['calls']}>
      <div className="dimmed">{t('playground:tools.calls', { count: calls.length })}</div>
      {calls.map(({ id, name, arguments: args }, index) => {
        const text = typeof args === 'string' ? args : JSON.stringify(args, null, 2)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are only appended, and a provider may send no id
          <div key={`${id} ${index}`} data-testid="tool-call">
            <div className={styles['callHead']}>
              <bdi className="mono">{name}</bdi>
              <CopyButton value={text} label={t('playground:tools.copy', { name })} />
            </div>
            <CodeBlock text={text} label={t('playground:tools.arguments', { name })} />
          </div>
        )
      })}
    </div>
  )
}
