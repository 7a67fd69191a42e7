import { Select, Switch, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ModelParams } from '../../../../contract/models/models.ts'
import type { ProviderChoice } from '../../../../contract/models/provider-choice.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'
import { t } from '../../../lib/i18n.ts'
import { useShellSearch } from '../../../lib/page/address.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { KeyField } from '../../../shared/keys/KeyField.tsx'
import { providerChoicesQuery } from '../../../shared/providers/providers.ts'
import { useFirstWorkspace } from '../../../shared/resources/forms/useFirstWorkspace.ts'
import { WorkspaceField } from '../../../shared/workspaces/WorkspaceField.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { parseParameters } from '../column/parameters.ts'
import { isServed, providerOf } from '../column/request.ts'
import type { OpenedPrompt } from '../input/base.ts'
import { parseSchema, parseTools } from '../input/json.ts'
import { type Column, type Setup, sentMessage } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import { keyError } from './keyError.ts'

type Values = { key: string; name: string; workspace_id: string; column: string; follows: boolean }
type Props = {
  readonly session: PlaygroundSession
  readonly opened: OpenedPrompt
  readonly onClose: () => void
}

/** Returns the text of the agent, or the prompt that it follows. */
const textFields = ({ follows, workspace_id }: Values, { content }: Setup, prompt: OpenedPrompt['prompt']) =>
  follows && prompt !== undefined
    ? // An agent resolves its prompt in its own workspace.
      { workspace_id: prompt.workspace_id, prompt_key: prompt.key, env: prompt.env }
    : { workspace_id, content }

/** Returns the text's parameters that an agent can have. Schema and tools are in `inputFields`. */
function ownParams({ params }: Setup): ModelParams {
  const { tools: _tools, response_format: _format, ...rest } = params
  return ModelParams.strip().safeParse(rest).data ?? {}
}

function modelFields(column: Column, choices: readonly ProviderChoice[], own: ModelParams) {
  const provider = providerOf(column, choices)?.name
  const model = column.model.trim()
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== '' && { model }),
    params: { ...own, ...parseParameters(column.params, provider ?? '').params },
  }
}

/** Returns messages, tools and reply schema. Throws if the tools or the schema are invalid. */
function inputFields(setup: Setup, own: PromptParams) {
  const tools = parseTools(setup.tools)
  const schema = parseSchema(setup.schema)
  if (tools.error !== null || schema.error !== null) throw new Error(t('playground:save.agent_bad_tools'))
  const format = own.response_format
  const ownSchema = format?.type === 'json_schema' ? format.json_schema.schema : undefined
  return {
    messages: setup.messages.map(sentMessage),
    tools: [...(tools.value.length > 0 ? tools.value : (own.tools ?? []))],
    ...((schema.value ?? ownSchema) && { response_schema: schema.value ?? ownSchema }),
  }
}

/**
 * A form that saves the text, messages, tools and one column as an agent, without the values of variables.
 */
export function SaveAgent({ session, opened, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [{ workspace }] = useShellSearch()
  const choices = useQuery(providerChoicesQuery).data ?? []
  const setup = session.setup.get()
  const { prompt } = opened
  const firstWorkspace = useFirstWorkspace(prompt?.workspace_id ?? setup.workspace ?? workspace)
  const served = setup.subject === null ? null : (prompt?.served ?? null)
  const initial: Values = {
    key: prompt?.key ?? '',
    name: '',
    workspace_id: firstWorkspace,
    column: setup.columns[0]?.id ?? '',
    follows: isServed(setup, prompt),
  }
  const columns = setup.columns.map((column, index) => {
    const provider = providerOf(column, choices)
    const model = column.model.trim() === '' ? provider?.default_model : column.model.trim()
    return {
      value: column.id,
      label: `${index + 1}: ${provider?.label ?? column.provider}${model ? `, ${model}` : ''}`,
    }
  })

  const save = async (values: Values): Promise<void> => {
    const column = setup.columns.find(({ id }) => id === values.column) ?? setup.columns[0]
    const body = {
      key: values.key,
      ...(values.name.trim() !== '' && { name: values.name }),
      ...textFields(values, setup, prompt),
      // An agent that follows its prompt also runs with its parameters.
      ...(column !== undefined && modelFields(column, choices, values.follows ? {} : ownParams(setup))),
      ...inputFields(setup, values.follows ? {} : setup.params),
    }
    const { data } = await client.agents.create({ body })
    await invalidateEntities(queries, 'agent', 'audit', 'workspace')
    toast(t('playground:save.agent_created', { key: data.key }), {
      label: t('playground:save.agent_open'),
      run: () => void navigate({ to: '/agents/$id', params: { id: data.id } }),
    })
  }

  return (
    <FormModal
      title={t('playground:save.new_agent')}
      initial={initial}
      submitLabel={t('playground:save.agent_create')}
      onSubmit={save}
      onClose={onClose}
      size={520}
      problemFields={{ 'agent.key_taken': 'key' }}
      rules={{ key: keyError }}
    >
      {(form) => (
        <>
          <p style={{ margin: 0 }} className="dimmed">
            {t('playground:save.agent_help')}
          </p>
          <KeyField label={t('playground:save.key')} input={form.getInputProps('key')} />
          <TextInput
            {...form.getInputProps('name')}
            label={t('playground:save.name')}
            placeholder={form.values.key}
            maxLength={200}
          />
          {columns.length > 1 && (
            <Select
              {...form.getInputProps('column')}
              label={t('playground:save.agent_model')}
              data={columns}
            />
          )}
          {served !== null && prompt !== undefined && setup.chat === null && (
            <Switch
              {...form.getInputProps('follows', { type: 'checkbox' })}
              label={t('playground:save.agent_follows', { key: prompt.key, env: prompt.env })}
              description={t('playground:save.agent_follows_help')}
            />
          )}
          {form.values.follows ? null : (
            <WorkspaceField
              label={t('playground:save.workspace')}
              input={form.getInputProps('workspace_id')}
              current={form.values.workspace_id}
            />
          )}
        </>
      )}
    </FormModal>
  )
}
