import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import type { Agent } from '../../../../contract/agents/agent.ts'
import { variablesIn } from '../../../../contract/formats/template.ts'
import { withoutPlaceholders } from '../../../../contract/models/chat.ts'
import { t } from '../../../lib/i18n.ts'
import { useSampleValues } from '../../../lib/state/samples.ts'
import { DetailsFields } from '../../../shared/definitions/editor/DetailsFields.tsx'
import { EditorLayout } from '../../../shared/definitions/editor/EditorLayout.tsx'
import type { DefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { JsonField } from '../../../shared/models/JsonField.tsx'
import { MessagesEditor } from '../../../shared/models/MessagesEditor.tsx'
import { ModelFields } from '../../../shared/models/ModelFields.tsx'
import { ParamsFields } from '../../../shared/models/ParamsFields.tsx'
import { ToolsEditor } from '../../../shared/models/ToolsEditor.tsx'
import type { TypedValues } from '../../../shared/models/VariablesForm.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { promptOfQuery } from '../agents.queries.ts'
import { RunPanel } from '../run/RunPanel.tsx'
import { type AgentEditing, fieldErrorLookup, saveDisabledReasonOf } from './agent.editing.ts'
import { Preview } from './Preview.tsx'
import { TextSection } from './TextSection.tsx'

type Props = { readonly agent: Agent; readonly editing: AgentEditing; readonly actions: DefinitionActions }

/** The editor of an agent, with a panel beside it to run the agent. */
export function EditTab({ agent, editing, actions }: Props) {
  const { draft, change } = editing
  const [typed, setTyped] = useSampleValues<TypedValues>(agent.id, {})
  const fieldErrorOf = fieldErrorLookup(editing)
  const isReadOnly = actions.writeDisabledReason !== null
  const prompt = useQuery({
    ...promptOfQuery(agent.workspace_id, draft.prompt_key ?? '', draft.env),
    enabled: draft.prompt_key !== null && draft.prompt_key.trim() !== '',
  })
  const served = draft.prompt_key === null ? null : (prompt.data?.served ?? null)
  const content = useDeferredValue(draft.content ?? served?.content ?? '')
  const variableNames = useMemo(() => variablesIn(content), [content])
  return (
    <EditorLayout
      writeDisabledReason={actions.writeDisabledReason}
      failure={editing.failure}
      asideWidth="400px"
      aside={
        <>
          <RunPanel
            agent={agent}
            editing={editing}
            runDisabledReason={actions.runDisabledReason}
            saveDisabledReason={actions.writeDisabledReason ?? saveDisabledReasonOf(draft)}
            typed={typed}
            setTyped={setTyped}
          />
          <Section title={t('agents:preview.title')}>
            <Preview content={content} variables={served?.variables ?? []} typed={typed} />
          </Section>
          <Section title={t('common:details')}>
            <DetailsFields definition={agent} editing={editing} isReadOnly={isReadOnly} />
          </Section>
        </>
      }
    >
      <TextSection
        editing={editing}
        prompt={prompt.data}
        variableNames={variableNames}
        workspace={agent.workspace_id}
        isReadOnly={isReadOnly}
      />
      <Section title={t('agents:field.model_section')}>
        <ModelFields
          provider={draft.provider}
          model={draft.model}
          onChange={change}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
          {...(served?.model
            ? { defaultModelText: t('agents:form.model_of_prompt', { model: served.model }) }
            : {})}
        />
        <ParamsFields
          params={draft.params}
          provider={draft.provider}
          onChange={(params) => change({ params })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
        />
      </Section>
      <Section title={t('model:messages.title')}>
        <MessagesEditor
          messages={draft.messages}
          onChange={(messages) => change({ messages: withoutPlaceholders(messages) })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
        />
      </Section>
      <Section title={t('model:tools.title')}>
        <ToolsEditor
          tools={draft.tools}
          onChange={(tools) => change({ tools })}
          isReadOnly={isReadOnly}
          fieldErrorOf={fieldErrorOf}
        />
      </Section>
      <Section title={t('model:schema.title')}>
        <JsonField
          label={t('model:schema.label')}
          description={t('model:schema.help')}
          value={draft.response_schema}
          onChange={(schema) => change({ response_schema: schema as Agent['response_schema'] })}
          isReadOnly={isReadOnly}
          error={fieldErrorOf('response_schema')}
        />
      </Section>
    </EditorLayout>
  )
}
