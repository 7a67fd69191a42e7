import { ActionIcon, Tooltip } from '@mantine/core'
import { IconSearch, IconTextWrap } from '@tabler/icons-react'
import { useDeferredValue, useMemo, useRef } from 'react'
import { unsafeNames, variablesIn } from '../../../../contract/formats/template.ts'
import { chatText, chatTexts, chatVariables } from '../../../../contract/models/chat.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { maxContentBytes } from '../../../../contract/prompts/prompt.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { fieldErrors } from '../../../lib/service/api.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { createPersistedStore, useStore } from '../../../lib/state/store.ts'
import { ChatEditor } from '../../../shared/prompts/ChatEditor.tsx'
import { ModelParams } from '../../../shared/prompts/ModelParams.tsx'
import { withType } from '../../../shared/prompts/promptType.ts'
import { TypeControl } from '../../../shared/prompts/TypeControl.tsx'
import type { TemplateHandle } from '../../../shared/templates/TemplateCode.tsx'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { Details } from './Details.tsx'
import styles from './edit.module.css'
import { IncludeList } from './IncludeList.tsx'
import { Merging } from './Merging.tsx'
import { Preview } from './Preview.tsx'
import { useSamples } from './samples.ts'
import { TokenCount } from './TokenCount.tsx'
import { useIncludes } from './useIncludes.ts'
import type { PromptEditing } from './usePromptEditing.ts'
import { Variables } from './Variables.tsx'

const wrapStore = createPersistedStore(
  'editor.wrap',
  true,
  (value): value is boolean => typeof value === 'boolean',
)
const encoder = new TextEncoder()

type Props = {
  readonly prompt: Prompt
  readonly editing: PromptEditing
  readonly writeDisabledReason: DisabledReason
}

/** The editor of a prompt: text, variables, sample values and a preview. */
export function EditTab({ prompt, editing, writeDisabledReason }: Props) {
  const { draft, change } = editing
  const editor = useRef<TemplateHandle>(null)
  const isWrapped = useStore(wrapStore)
  const samples = useSamples(prompt.id)
  const isChat = draft.type === 'chat'
  const content = useDeferredValue(draft.content)
  const messages = useDeferredValue(draft.messages)
  const usedVariables = useMemo(
    () => (isChat ? chatVariables(messages) : variablesIn(content)),
    [isChat, content, messages],
  )
  const errors = fieldErrors(editing.failure)
  const fieldErrorOf = (path: string): string | undefined => errors[path]
  const declared = useMemo(() => draft.variables.map(({ name }) => name), [draft.variables])
  const suggestions = useMemo(
    () => [...new Set([...declared, ...usedVariables])].toSorted(),
    [declared, usedVariables],
  )
  const texts = useMemo(() => (isChat ? chatTexts(messages) : [content]), [isChat, content, messages])
  const text = useMemo(() => (isChat ? chatText(messages) : content), [isChat, content, messages])
  const size = useMemo(() => encoder.encode(text).length, [text])
  const unsafe = unsafeNames(usedVariables)
  const includes = useIncludes(prompt, texts)
  return (
    <div className={styles['edit']}>
      <div className={styles['main']}>
        <div className={styles['bar']}>
          <h2 className={styles['title']}>{t('prompts:field.content')}</h2>
          <span className={styles['size']} data-over={size > maxContentBytes || undefined}>
            {size > maxContentBytes
              ? t('prompt:edit.too_large', { size: formatNumber(size) })
              : t('prompt:edit.size', { count: size, size: formatNumber(size) })}
            {size <= maxContentBytes && <TokenCount text={text} />}
          </span>
          <TypeControl
            value={draft.type}
            isDisabled={writeDisabledReason !== null}
            onChange={(type) => change(withType(draft, type))}
          />
          {!isChat && (
            <>
              <Tool label={t('prompt:edit.find')} onClick={() => editor.current?.find()}>
                <IconSearch size={15} />
              </Tool>
              <Tool label={t('prompt:edit.wrap')} isOn={isWrapped} onClick={() => wrapStore.set(!isWrapped)}>
                <IconTextWrap size={15} />
              </Tool>
            </>
          )}
        </div>
        <Problems editing={editing} unsafe={unsafe} writeDisabledReason={writeDisabledReason} />
        <div className={styles[isChat ? 'messages' : 'code']}>
          {isChat ? (
            <ChatEditor
              messages={draft.messages}
              onChange={(next) => change({ messages: next })}
              suggestions={suggestions}
              declared={declared}
              isReadOnly={writeDisabledReason !== null}
              fieldErrorOf={fieldErrorOf}
              includes={includes.support}
            />
          ) : (
            <TemplateEditor
              ref={editor}
              value={draft.content}
              onChange={(next) => change({ content: next })}
              label={t('prompts:field.content')}
              suggestions={suggestions}
              declared={declared}
              isWrapped={isWrapped}
              isReadOnly={writeDisabledReason !== null}
              hint={t('prompt:edit.hint', { variable: '{{name}}' })}
              includes={includes.support}
            />
          )}
        </div>
        <IncludeList includes={includes} env={prompt.env} />
        {editing.merging !== null && <Merging theirs={editing.merging} mine={draft} />}
      </div>
      <div className={styles['aside']}>
        <Section title={t('prompt:preview.title')}>
          <Preview
            content={content}
            messages={isChat ? messages : null}
            variables={draft.variables}
            samples={samples.values}
          />
        </Section>
        <Section title={t('prompt:variables.title')}>
          <Variables
            usedNames={usedVariables}
            declared={draft.variables}
            samples={samples}
            isReadOnly={writeDisabledReason !== null}
            onChange={(variables) => change({ variables })}
          />
        </Section>
        <Section title={t('model:prompt_params.title')}>
          <ModelParams
            params={draft.params}
            onChange={(params) => change({ params })}
            isReadOnly={writeDisabledReason !== null}
            fieldErrorOf={fieldErrorOf}
          />
        </Section>
        <Section title={t('common:details')}>
          <Details prompt={prompt} draft={draft} change={change} isReadOnly={writeDisabledReason !== null} />
        </Section>
      </div>
    </div>
  )
}

type ToolProps = {
  readonly label: string
  readonly isOn?: boolean
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function Tool({ label, isOn, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        {...(isOn === undefined ? {} : { 'aria-pressed': isOn, variant: isOn ? 'light' : 'subtle' })}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

type ProblemsProps = {
  readonly editing: PromptEditing
  readonly unsafe: readonly string[]
  readonly writeDisabledReason: DisabledReason
}

/** The reasons why the text cannot be saved, and a note if it was restored after the session expired. */
function Problems({ editing, unsafe, writeDisabledReason }: ProblemsProps) {
  if (writeDisabledReason !== null)
    return <p className="note">{`${t('prompt:edit.read_only')} ${writeDisabledReason}`}</p>
  return (
    <>
      {editing.isRestored && (
        <p className="note" role="status">
          {t('common:form.restored')}
        </p>
      )}
      {unsafe.length > 0 && (
        <p className={styles['bad']} role="alert">
          {t('prompt:edit.unsafe', { names: unsafe.map((name) => `{{${name}}}`).join(', ') })}
        </p>
      )}
      {editing.failure !== null && <FormFailure error={editing.failure} />}
    </>
  )
}
