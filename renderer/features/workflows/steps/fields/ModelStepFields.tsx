import { withoutPlaceholders } from '../../../../../contract/models/chat.ts'
import { offlineProvider } from '../../../../../contract/models/models.ts'
import { t } from '../../../../lib/i18n.ts'
import { JsonField } from '../../../../shared/models/JsonField.tsx'
import { MessagesEditor } from '../../../../shared/models/MessagesEditor.tsx'
import { ModelFields } from '../../../../shared/models/ModelFields.tsx'
import { ParamsFields } from '../../../../shared/models/ParamsFields.tsx'
import { ToolsEditor } from '../../../../shared/models/ToolsEditor.tsx'
import { fieldErrorLookup } from '../findings.ts'
import styles from './fields.module.css'
import type { StepFieldsProps } from './stepContext.ts'

/** The fields of a model step, except its template and limits. */
export function ModelStepFields({ step, onChange, context, findings }: StepFieldsProps) {
  const fieldErrorOf = fieldErrorLookup(findings)
  const { isReadOnly } = context
  const { provider = offlineProvider, model = null, params = {}, messages = [], tools = [] } = step
  const sections = [
    {
      name: 'params',
      title: t('model:params.title'),
      count: Object.keys(params).length,
      content: (
        <ParamsFields
          params={params}
          provider={provider}
          onChange={(next) => onChange({ params: next })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
          hasTimeout={false}
        />
      ),
    },
    {
      name: 'messages',
      title: t('model:messages.title'),
      count: messages.length,
      content: (
        <MessagesEditor
          messages={messages}
          onChange={(next) => onChange({ messages: withoutPlaceholders(next) })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
        />
      ),
    },
    {
      name: 'tools',
      title: t('model:tools.title'),
      count: tools.length,
      content: (
        <ToolsEditor
          tools={tools}
          onChange={(next) => onChange({ tools: next })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
        />
      ),
    },
    {
      name: 'response_schema',
      title: t('model:schema.label'),
      count: step.response_schema === null ? 0 : 1,
      content: (
        <JsonField
          label={t('model:schema.label')}
          description={t('model:schema.help')}
          value={step.response_schema}
          onChange={(schema) => onChange({ response_schema: schema })}
          isReadOnly={isReadOnly}
          error={fieldErrorOf('response_schema')}
        />
      ),
    },
  ] as const
  return (
    <>
      <ModelFields
        provider={provider}
        model={model}
        onChange={onChange}
        isReadOnly={isReadOnly}
        fieldErrorOf={fieldErrorOf}
      />
      {sections.map(({ name, title, count, content }) => (
        <details key={name} className={styles['more']} open={fieldErrorOf(name) !== undefined || undefined}>
          <summary>
            {title}
            {count > 0 && <span className={styles['count']}>{count}</span>}
          </summary>
          {content}
        </details>
      ))}
    </>
  )
}
