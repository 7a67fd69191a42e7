import { Alert, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { includesIn } from '../../../contract/formats/includes.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { ModelParams } from '../../shared/prompts/ModelParams.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import type { SetupErrors } from './column/checks.ts'
import { RenderedPrompt } from './column/RenderedPrompt.tsx'
import { namesIn } from './column/request.ts'
import type { OpenedPrompt } from './input/base.ts'
import { CallSections } from './input/CallSections.tsx'
import { CollapsibleSection } from './input/CollapsibleSection.tsx'
import { Messages } from './input/Messages.tsx'
import { Options } from './input/Options.tsx'
import { Source } from './input/Source.tsx'
import { SourceText } from './input/SourceText.tsx'
import { useTexts } from './input/texts.ts'
import styles from './playground.module.css'
import type { Setup } from './playground.state.ts'
import type { OpenDialog, PlaygroundSession } from './session.ts'
import { Values } from './values/Values.tsx'

export type SidebarProps = {
  readonly setup: Setup
  readonly change: PlaygroundSession['change']
  readonly session: PlaygroundSession
  readonly opened: OpenedPrompt
  /** The errors that prevented the last run. */
  readonly errors: SetupErrors | null
  readonly onOpenDialog: (dialog: OpenDialog) => void
}

/** The prompt panel: the text, the values of its variables, messages, tools and options. */
export function Sidebar({ setup, change, session, opened, errors, onOpenDialog }: SidebarProps) {
  const content = useDeferredValue(setup.content)
  const chat = useDeferredValue(setup.chat)
  const variableNames = useMemo(() => namesIn({ content, messages: chat }), [content, chat])
  const declared = useMemo(
    () => setup.declared.filter((variable) => variable.declared).map(({ name }) => name),
    [setup.declared],
  )
  const suggestions = useMemo(
    () => [...new Set([...declared, ...variableNames])].toSorted(),
    [declared, variableNames],
  )
  const texts = useTexts(setup, content, opened.base)
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
        hasLiteralIncludes={texts.panel.base === null && includesIn([setup.content]).length > 0}
        errors={errors}
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
        <RenderedPrompt text={texts.panel} values={setup.values} />
      </CollapsibleSection>
      <CollapsibleSection
        name="params"
        title={t('model:prompt_params.title')}
        count={Object.keys(setup.params).length}
        isInitiallyClosed
        isForcedOpen={errors !== null && Object.keys(errors.params).length > 0}
      >
        <p className="note">{t('playground:text_params.help')}</p>
        <ModelParams
          params={setup.params}
          onChange={(params) => change({ params })}
          isReadOnly={false}
          fieldErrorOf={(path) => errors?.params[path]}
        />
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
      <CallSections setup={setup} change={change} errors={errors} />
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
