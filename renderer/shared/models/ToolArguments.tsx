import type { ToolCall } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

export const ToolArguments = ({ call: { name, arguments: values } }: { readonly call: ToolCall }) => (
  <CodeBlock text={asText(values)} label={t('model:response.tool_call', { name })} />
)
