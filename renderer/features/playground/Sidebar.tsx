import { Alert, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { variablesIn } from '../../../contract/formats/template.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { TemplateEditor } from '../../shared/templates/TemplateEditor.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { RenderedPrompt } from './column/RenderedPrompt.tsx'
import type { SetupErrors } from './column/request.ts'
import type { OpenedPrompt } from './input/base.ts'
import { CollapsibleSection } from './input/CollapsibleSection.tsx'
import { JsonField } from './input/JsonField.tsx'
import { parseSchema, parseTools } from './input/json.ts'
import { Messages } from './input/Messages.tsx'
import { Options } from './input/Options.tsx'
import { Source } from './input/Source.tsx'
import { useTexts } from './input/texts.ts'
import { Values } from './input/Values.tsx'
import styles from './playground.module.css'
import type { Setup } from './playground.state.ts'
import type { OpenDialog, PlaygroundSession } from './session.ts'

export type SidebarProps = {
  readonly setup: Setup
  readonly change: PlaygroundSession['change']
  readonly session: PlaygroundSession
  readonly opened: OpenedPrompt
  /** The errors that prevented the last run. */
  readonly errors: SetupErrors | null
  readonly onOpenDialog: (dialog: OpenDialog) => void
}

/** The left side: the text, the values of its variables, and the messages, tools and options sent with it. */
export function Sidebar({ setup, change, session, opened, errors, onOpenDialog }: SidebarProps) {
  const content = useDeferredValue(setup.content)
  const variableNames = useMemo(() => variablesIn(content), [content])
  const declared = useMemo(
    () => setup.declared.filter((variable) => variable.declared).map(({ name }) => name),
    [setup.declared],
  )
  const suggestions = useMemo(
    () => [...new Set([...declared, ...variableNames])].toSorted(),
    [declared, variableNames],
  )
  const texts = useTexts(setup, content, opened.base)
  const toolCount = useMemo(() => parseTools(setup.tools).value?.length ?? 0, [setup.tools])
  return (
    <section className={styles['sidebar']} aria-label={t('playground:side.label')}>
      <Source setup={setup} session={session} opened={opened} />
      {opened.error !== null && <ErrorState error={opened.error} onRetry={opened.retry} />}
      {setup.origin !== null && (
        <Alert
          variant="light"
          color="gray"
          withCloseButton
          closeButtonLabel={t('common:close')}
          onClose={() => change({ origin: null })}
          data-testid="origin"
        >
          {tNode('playground:origin.from', {
            run: (
              <Link to="/runs/{-$id}" params={{ id: String(setup.origin.run) }}>
                {t('playground:origin.run', { id: setup.origin.run })}
              </Link>
            ),
          })}
          {setup.origin.notes.map((note) => (
            <div key={note}>{note}</div>
          ))}
        </Alert>
      )}
      <SourceText
        setup={setup}
        change={change}
        suggestions={suggestions}
        declared={declared}
        isChat={texts.left.base?.messages != null}
        error={errors?.content ?? null}
      />
      <CollapsibleSection
        name="values"
        title={t('playground:values.title')}
        count={texts.names.length}
        isForcedOpen={errors !== null && Object.keys(errors.values).length > 0}
        aside={
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onOpenDialog('cases')}>
            {t('playground:cases.button')}
          </Button>
        }
      >
        <Values
          texts={texts}
          values={setup.values}
          errors={errors?.values ?? {}}
          onChange={(values) => change({ values })}
        />
      </CollapsibleSection>
      <CollapsibleSection name="sent" title={t('playground:preview.title')} isInitiallyClosed>
        <RenderedPrompt text={texts.left} values={setup.values} />
      </CollapsibleSection>
      <CollapsibleSection
        name="messages"
        title={t('playground:messages.title')}
        count={setup.messages.length}
        isInitiallyClosed
        isForcedOpen={errors?.messages != null}
      >
        <Messages messages={setup.messages} onChange={(messages) => change({ messages })} />
        {errors?.messages != null && <p className={styles['bad']}>{errors.messages}</p>}
      </CollapsibleSection>
      <CollapsibleSection
        name="tools"
        title={t('playground:tools.title')}
        count={toolCount}
        isInitiallyClosed
        isForcedOpen={errors?.tools != null}
      >
        <JsonField
          value={setup.tools}
          onChange={(tools) => change({ tools })}
          parse={parseTools}
          label={t('playground:tools.label')}
          help={t('playground:tools.help')}
          example={t('playground:tools.example')}
        />
      </CollapsibleSection>
      <CollapsibleSection
        name="schema"
        title={t('playground:schema.title')}
        count={setup.schema.trim() === '' ? 0 : 1}
        isInitiallyClosed
        isForcedOpen={errors?.schema != null}
      >
        <JsonField
          value={setup.schema}
          onChange={(schema) => change({ schema })}
          parse={parseSchema}
          label={t('playground:schema.label')}
          help={t('playground:schema.help')}
          example={t('playground:schema.example')}
        />
      </CollapsibleSection>
      <CollapsibleSection
        name="options"
        title={t('playground:options.title')}
        count={
          (setup.capture === null ? 0 : 1) + (setup.subject === null && setup.workspace !== null ? 1 : 0)
        }
        isInitiallyClosed
      >
        <Options setup={setup} change={change} />
      </CollapsibleSection>
    </section>
  )
}

type SourceTextProps = Pick<SidebarProps, 'setup' | 'change'> & {
  readonly suggestions: readonly string[]
  readonly declared: readonly string[]
  /** True for the text of a chat. It is derived from the messages, which are edited on the page of the prompt. */
  readonly isChat: boolean
  readonly error: string | null
}

/** The editor of the text, with its error. */
function SourceText({ setup, change, suggestions, declared, isChat, error }: SourceTextProps) {
  return (
    <>
      <div className={styles['code']} data-bad={error !== null || undefined}>
        <TemplateEditor
          value={setup.content}
          onChange={(next) => change({ content: next })}
          label={t('playground:source.text')}
          suggestions={suggestions}
          declared={declared}
          hint={t('playground:source.hint', { variable: '{{name}}' })}
          isReadOnly={isChat}
        />
      </div>
      {isChat && <p className={styles['note']}>{t('playground:source.chat')}</p>}
      {error !== null && (
        <p className={styles['bad']} role="alert">
          {error}
        </p>
      )}
    </>
  )
}
