import { NativeSelect, TextInput } from '@mantine/core'
import { offlineProvider } from '../../../../contract/models.ts'
import { transformOps } from '../../../../contract/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { JsonField } from '../../../shared/models/JsonField.tsx'
import { MessagesEditor } from '../../../shared/models/MessagesEditor.tsx'
import { ModelFields } from '../../../shared/models/ModelFields.tsx'
import { ParamsFields } from '../../../shared/models/ParamsFields.tsx'
import { ToolsEditor } from '../../../shared/models/ToolsEditor.tsx'
import { AgentFields } from './AgentFields.tsx'
import styles from './fields.module.css'
import { type Finding, faultAt } from './findings.ts'
import { LimitFields } from './LimitFields.tsx'
import type { StepContext } from './StepCard.tsx'
import type { EditStep } from './steps.ts'
import { TemplateField } from './TemplateField.tsx'
import { WhenField } from './WhenField.tsx'

type FieldsProps = {
  readonly step: EditStep
  readonly onChange: (patch: Partial<EditStep>) => void
  readonly context: StepContext
  readonly findings: readonly Finding[]
}

/** The fields of a step, without its nested steps. */
export function StepFields({ step, onChange, context, findings }: FieldsProps) {
  const faultOf = faultAt(findings)
  const { isReadOnly } = context
  const isCondition = step.type === 'condition'
  const hasLimits = step.type !== 'render' && step.type !== 'transform'
  return (
    <div className={styles['fields']}>
      <TextInput
        size="sm"
        label={t('workflows:step.name')}
        value={step.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        readOnly={isReadOnly}
        maxLength={64}
        error={faultOf('name')}
        styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
      />
      {isCondition && (
        <WhenField
          when={step.when}
          isRequired
          onChange={(when) => onChange({ when })}
          context={context}
          faultOf={faultOf}
        />
      )}
      {step.type === 'transform' && (
        <div className={styles['pair']}>
          <NativeSelect
            label={t('workflows:transform.op')}
            value={step.op ?? ''}
            disabled={isReadOnly}
            data={transformOps.map((op) => ({ value: op, label: t(`workflows:transform.ops.${op}`) }))}
            onChange={(event) => {
              const op = transformOps.find((one) => one === event.currentTarget.value)
              if (op !== undefined)
                onChange({ op, path: op === 'json_path' ? (step.path ?? '$') : undefined })
            }}
            error={faultOf('op')}
          />
          {step.op === 'json_path' && (
            <TextInput
              size="sm"
              label={t('workflows:transform.path')}
              description={t('workflows:transform.path_help')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={step.path ?? ''}
              onChange={(event) => onChange({ path: event.currentTarget.value })}
              readOnly={isReadOnly}
              error={faultOf('path')}
              styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
            />
          )}
        </div>
      )}
      {step.template !== undefined && (
        <TemplateField
          label={t(
            `workflows:template.${step.type === 'transform' || step.type === 'model' ? step.type : 'render'}`,
          )}
          value={step.template}
          onChange={(template) => onChange({ template })}
          error={faultOf('template')}
          context={context}
          hint={t('workflows:template.hint')}
        />
      )}
      {step.type === 'agent' && (
        <AgentFields step={step} onChange={onChange} context={context} faultOf={faultOf} />
      )}
      {step.type === 'model' && (
        <ModelStepFields step={step} onChange={onChange} context={context} findings={findings} />
      )}
      {hasLimits && <LimitFields step={step} onChange={onChange} isReadOnly={isReadOnly} faultOf={faultOf} />}
      {!isCondition && (
        <WhenField
          when={step.when}
          isRequired={false}
          onChange={(when) => onChange({ when })}
          context={context}
          faultOf={faultOf}
        />
      )}
    </div>
  )
}

function ModelStepFields({ step, onChange, context, findings }: FieldsProps) {
  const faultOf = faultAt(findings)
  const { isReadOnly } = context
  const { provider = offlineProvider, model = null, params = {}, messages = [], tools = [] } = step
  const more = [
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
          faultOf={faultOf}
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
          onChange={(next) => onChange({ messages: next })}
          isReadOnly={isReadOnly}
          faultOf={faultOf}
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
          faultOf={faultOf}
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
          error={faultOf('response_schema')}
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
        faultOf={faultOf}
      />
      {more.map(({ name, title, count, content }) => (
        <details key={name} className={styles['more']} open={faultOf(name) !== undefined || undefined}>
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
