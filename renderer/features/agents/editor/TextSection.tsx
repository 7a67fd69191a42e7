import { NativeSelect, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Agent } from '../../../../contract/agents/agent.ts'
import { environments } from '../../../../contract/common/environments.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { PromptKeyField } from '../PromptKeyField.tsx'
import { type AgentEditing, fieldErrorLookup } from './agent.editing.ts'
import styles from './edit.module.css'

type TextProps = { readonly editing: AgentEditing; readonly isReadOnly: boolean }
type Props = TextProps & {
  /** The prompt that the agent runs; undefined while it loads, null if there is none. */
  readonly prompt: Prompt | null | undefined
  readonly variableNames: readonly string[]
  readonly workspace: string
}

/** The text of an agent: a custom text, or that of a prompt. */
export function TextSection({ editing, prompt, variableNames, workspace, isReadOnly }: Props) {
  const { draft, change } = editing
  return (
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
                : { prompt_key: null, content: editing.saved.content ?? prompt?.served?.content ?? '' },
            )
          }
        />
      }
    >
      {draft.prompt_key === null ? (
        <CustomText editing={editing} variableNames={variableNames} isReadOnly={isReadOnly} />
      ) : (
        <PromptRef
          promptKey={draft.prompt_key}
          editing={editing}
          workspace={workspace}
          isReadOnly={isReadOnly}
        />
      )}
      {draft.prompt_key !== null && prompt !== undefined && <ServedNote prompt={prompt} env={draft.env} />}
    </Section>
  )
}

function CustomText({
  editing,
  variableNames,
  isReadOnly,
}: TextProps & { readonly variableNames: readonly string[] }) {
  const error = fieldErrorLookup(editing)('content')
  return (
    <div className={styles['code']} data-bad={error !== undefined || undefined}>
      <TemplateEditor
        value={editing.draft.content ?? ''}
        onChange={(next) => editing.change({ content: next })}
        label={t('agents:field.content')}
        suggestions={variableNames}
        declared={[]}
        isReadOnly={isReadOnly}
        hint={t('agents:form.content_hint')}
      />
      {error !== undefined && <p className={styles['bad']}>{error}</p>}
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
        error={fieldErrorLookup(editing)('prompt_key')}
        isReadOnly={isReadOnly}
      />
      <NativeSelect
        label={t('agents:field.env')}
        value={draft.env}
        disabled={isReadOnly}
        data={[...environments]}
        onChange={(event) => {
          const env = environments.find((name) => name === event.currentTarget.value)
          if (env !== undefined) change({ env })
        }}
      />
    </div>
  )
}

type ServedProps = { readonly prompt: Prompt | null; readonly env: Agent['env'] }

/** The version that the environment serves, or the reason why there is none. */
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
