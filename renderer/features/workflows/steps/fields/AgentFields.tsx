import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { t } from '../../../../lib/i18n.ts'
import { KeyInput, useDebouncedKey } from '../../../../shared/keys/KeyInput.tsx'
import type { FieldErrorOf } from '../../../../shared/models/fieldErrorOf.ts'
import { agentInputQuery, agentKeysQuery } from '../../workflows.queries.ts'
import type { EditStep } from '../steps.ts'
import styles from './fields.module.css'
import type { StepContext } from './stepContext.ts'
import { TemplateField } from './TemplateField.tsx'

type Props = {
  readonly step: EditStep
  readonly onChange: (patch: Partial<EditStep>) => void
  readonly context: StepContext
  readonly fieldErrorOf: FieldErrorOf
}

/** The fields of an agent step: the agent, and a template for each of its variables. */
export function AgentFields({ step, onChange, context, fieldErrorOf }: Props) {
  const key = step.agent_key ?? ''
  const variables = step.variables ?? []
  const debounced = useDebouncedKey(key)
  const agents = useQuery(agentKeysQuery(context.workspace, debounced)).data
  const agent = useQuery({ ...agentInputQuery(context.workspace, debounced), enabled: debounced !== '' }).data
  const usedNames = new Set(variables.map(([name]) => name))
  const unusedVariables = (agent?.input.variables ?? []).filter(
    ({ name }) => !usedNames.has(name) && name !== 'input',
  )
  const set = (at: number, name: string, template: string): void =>
    onChange({ variables: variables.map((row, index) => (index === at ? [name, template] : row)) })
  const add = (name: string, template = ''): void => onChange({ variables: [...variables, [name, template]] })
  return (
    <>
      <KeyInput
        label={t('workflows:agent.key')}
        description={
          agent === undefined || agent === null ? undefined : (
            <>
              <bdi>{agent.name}</bdi> ·{' '}
              <Link to="/agents/$id" params={{ id: agent.id }} className={styles['link'] ?? ''}>
                {t('workflows:agent.open')}
              </Link>
            </>
          )
        }
        keys={agents?.map((candidate) => candidate.key)}
        value={key}
        onChange={(next) => onChange({ agent_key: next })}
        isReadOnly={context.isReadOnly}
        error={fieldErrorOf('agent_key')}
      />
      {variables.length > 0 && (
        <ul className={styles['rows']} aria-label={t('workflows:agent.variables')}>
          {variables.map(([name, template], index) => {
            const remove = t('workflows:agent.remove', { name: name || String(index + 1) })
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and names change while typing
              <li key={index} className={styles['row']}>
                <TextInput
                  size="sm"
                  label={t('workflows:agent.variable')}
                  value={name}
                  onChange={(event) => set(index, event.currentTarget.value, template)}
                  readOnly={context.isReadOnly}
                  maxLength={128}
                  className="mono-input"
                />
                <TemplateField
                  label={t('workflows:agent.value', { name })}
                  value={template}
                  onChange={(next) => set(index, name, next)}
                  error={fieldErrorOf(`variables.${name}`)}
                  context={context}
                />
                {!context.isReadOnly && (
                  <Tooltip label={remove}>
                    <ActionIcon
                      size={24}
                      mt={26}
                      aria-label={remove}
                      onClick={() => onChange({ variables: variables.toSpliced(index, 1) })}
                    >
                      <IconX size={14} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {!context.isReadOnly && (
        <div className={styles['adders']}>
          {unusedVariables.map(({ name }) => (
            <Button
              key={name}
              variant="default"
              size="compact-xs"
              leftSection={<IconPlus size={12} />}
              onClick={() => add(name, `{{${name}}}`)}
            >
              <span className="mono">{name}</span>
            </Button>
          ))}
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<IconPlus size={12} />}
            onClick={() => add('')}
          >
            {t('workflows:agent.add')}
          </Button>
        </div>
      )}
    </>
  )
}
