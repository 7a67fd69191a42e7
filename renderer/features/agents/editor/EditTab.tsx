import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import type { Agent } from '../../../../contract/agent.ts'
import { environments } from '../../../../contract/live.ts'
import type { Prompt } from '../../../../contract/prompt.ts'
import { variablesIn } from '../../../../contract/template.ts'
import { t } from '../../../lib/i18n.ts'
import { DetailsFields } from '../../../shared/definitions/editor/DetailsFields.tsx'
import { SaveFailure } from '../../../shared/definitions/editor/SaveFailure.tsx'
import type { DefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { JsonField } from '../../../shared/models/JsonField.tsx'
import { MessagesEditor } from '../../../shared/models/MessagesEditor.tsx'
import { ModelFields } from '../../../shared/models/ModelFields.tsx'
import { ParamsFields } from '../../../shared/models/ParamsFields.tsx'
import { ToolsEditor } from '../../../shared/models/ToolsEditor.tsx'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../agents.module.css'
import { promptOfQuery } from '../agents.queries.ts'
import { PromptKeyField } from '../PromptKeyField.tsx'
import { RunPanel } from '../run/RunPanel.tsx'
import { useTypedValues } from '../run/typedValues.ts'
import { type AgentEditing, faultOf, whyNotSave } from './agent.editing.ts'
import { Preview } from './Preview.tsx'

type Props = { readonly agent: Agent; readonly editing: AgentEditing; readonly actions: DefinitionActions }

/** The editor of an agent, with a panel beside it to run the agent. */
export function EditTab({ agent, editing, actions }: Props) {
  const { draft, change } = editing
  const [typed, setTyped] = useTypedValues(agent.id)
  const faults = faultOf(editing)
  const isReadOnly = actions.mayNotWrite !== null
  const prompt = useQuery({
    ...promptOfQuery(agent.workspace_id, draft.prompt_key ?? '', draft.env),
    enabled: draft.prompt_key !== null && draft.prompt_key.trim() !== '',
  })
  const served = draft.prompt_key === null ? null : (prompt.data?.served ?? null)
  const content = useDeferredValue(draft.content ?? served?.content ?? '')
  const found = useMemo(() => variablesIn(content), [content])
  return (
    <div className={styles['edit']}>
      <div className={styles['main']}>
        {isReadOnly && (
          <p className={styles['note']}>{`${t('definition:edit.read_only')} ${actions.mayNotWrite}`}</p>
        )}
        <SaveFailure error={editing.failure} />
        <Section
          title={t('agents:field.text')}
          aside={
            <SegmentedControl
              size="xs"
              aria-label={t('agents:field.text')}
              disabled={isReadOnly}
              value={draft.prompt_key === null ? 'content' : 'prompt'}
              data={[
                { value: 'prompt', label: t('agents:form.from_prompt_short') },
                { value: 'content', label: t('agents:form.from_content_short') },
              ]}
              onChange={(from) =>
                change(
                  from === 'prompt'
                    ? { prompt_key: editing.saved.prompt_key ?? '', content: null }
                    : { prompt_key: null, content: editing.saved.content ?? served?.content ?? '' },
                )
              }
            />
          }
        >
          {draft.prompt_key === null ? (
            <OwnText editing={editing} found={found} isReadOnly={isReadOnly} />
          ) : (
            <PromptRef
              promptKey={draft.prompt_key}
              editing={editing}
              workspace={agent.workspace_id}
              isReadOnly={isReadOnly}
            />
          )}
          {draft.prompt_key !== null && prompt.data !== undefined && (
            <ServedNote prompt={prompt.data} env={draft.env} />
          )}
        </Section>
        <Section title={t('agents:field.model_section')}>
          <ModelFields
            provider={draft.provider}
            model={draft.model}
            onChange={change}
            isReadOnly={isReadOnly}
            faultOf={faults}
            {...(served?.model
              ? { whoChooses: t('agents:form.model_of_prompt', { model: served.model }) }
              : {})}
          />
          <ParamsFields
            params={draft.params}
            provider={draft.provider}
            onChange={(params) => change({ params })}
            isReadOnly={isReadOnly}
            faultOf={faults}
          />
        </Section>
        <Section title={t('model:messages.title')}>
          <MessagesEditor
            messages={draft.messages}
            onChange={(messages) => change({ messages })}
            isReadOnly={isReadOnly}
            faultOf={faults}
          />
        </Section>
        <Section title={t('model:tools.title')}>
          <ToolsEditor
            tools={draft.tools}
            onChange={(tools) => change({ tools })}
            isReadOnly={isReadOnly}
            faultOf={faults}
          />
        </Section>
        <Section title={t('model:schema.title')}>
          <JsonField
            label={t('model:schema.label')}
            description={t('model:schema.help')}
            value={draft.response_schema}
            onChange={(schema) => change({ response_schema: schema as Agent['response_schema'] })}
            isReadOnly={isReadOnly}
            error={faults('response_schema')}
          />
        </Section>
      </div>
      <div className={styles['aside']}>
        <RunPanel
          agent={agent}
          editing={editing}
          mayNotRun={actions.mayNotRun}
          whyNotSave={actions.mayNotWrite ?? whyNotSave(draft)}
          typed={typed}
          setTyped={setTyped}
        />
        <Section title={t('agents:preview.title')}>
          <Preview content={content} variables={served?.variables ?? []} typed={typed} />
        </Section>
        <Section title={t('common:details')}>
          <DetailsFields definition={agent} editing={editing} isReadOnly={isReadOnly} />
        </Section>
      </div>
    </div>
  )
}

type TextProps = { readonly editing: AgentEditing; readonly isReadOnly: boolean }

/** The agent's own text. */
function OwnText({ editing, found, isReadOnly }: TextProps & { readonly found: readonly string[] }) {
  const fault = faultOf(editing)('content')
  return (
    <div className={styles['code']} data-bad={fault !== undefined || undefined}>
      <TemplateEditor
        value={editing.draft.content ?? ''}
        onChange={(next) => editing.change({ content: next })}
        label={t('agents:field.content')}
        known={found}
        declared={[]}
        isReadOnly={isReadOnly}
        hint={t('agents:form.content_hint')}
      />
      {fault !== undefined && <p className={styles['bad']}>{fault}</p>}
    </div>
  )
}

type RefProps = TextProps & { readonly promptKey: string; readonly workspace: string }

/** The prompt that the agent runs, and the environment in which it is looked up. */
function PromptRef({ promptKey, editing, workspace, isReadOnly }: RefProps) {
  const { draft, change } = editing
  return (
    <div className={styles['pair']}>
      <PromptKeyField
        value={promptKey}
        onChange={(key) => change({ prompt_key: key })}
        workspace={workspace}
        error={faultOf(editing)('prompt_key')}
        isReadOnly={isReadOnly}
      />
      <NativeSelect
        label={t('agents:field.env')}
        value={draft.env}
        disabled={isReadOnly}
        data={[...environments]}
        onChange={(event) => {
          const env = environments.find((one) => one === event.currentTarget.value)
          if (env !== undefined) change({ env })
        }}
      />
    </div>
  )
}

type ServedProps = { readonly prompt: Prompt | null; readonly env: Agent['env'] }

/** The version that the environment serves, or why there is none. */
function ServedNote({ prompt, env }: ServedProps) {
  const served = prompt?.served ?? null
  return (
    <p className={served === null ? styles['warn'] : styles['note']}>
      {prompt === null ? (
        t('agents:form.prompt_unknown', { env })
      ) : (
        <>
          {served === null
            ? t('agents:form.prompt_not_live', { env })
            : t('agents:form.prompt_live', { env, version: served.version })}{' '}
          <Link to="/prompts/$id" params={{ id: prompt.id }}>
            {t('agents:form.prompt_open')}
          </Link>
        </>
      )}
    </p>
  )
}
