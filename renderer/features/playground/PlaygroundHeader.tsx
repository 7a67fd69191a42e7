import { ActionIcon, Button, Kbd, Menu, Tooltip } from '@mantine/core'
import {
  IconChevronDown,
  IconColumns2,
  IconFilePlus,
  IconGitCompare,
  IconHistory,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPlayerPlay,
  IconPlayerStop,
} from '@tabler/icons-react'
import { isEmptyPrompt } from '../../../contract/prompts/prompt-chat.ts'
import { t } from '../../lib/i18n.ts'
import { keyLabel } from '../../lib/page/keyLabel.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { useStore } from '../../lib/state/store.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { isServed, isUnedited } from './column/request.ts'
import { baseOf, type OpenedPrompt } from './input/base.ts'
import styles from './playground.module.css'
import type { Setup } from './playground.state.ts'
import { type OpenDialog, type PlaygroundSession, stopAll } from './session.ts'

type Props = {
  readonly session: PlaygroundSession
  readonly opened: OpenedPrompt
  readonly hasSide: boolean
  readonly onSide: () => void
  readonly onOpenDialog: (dialog: OpenDialog) => void
  readonly onNew: () => void
  readonly onRunAll: () => void
}

/** Returns the reason why the text cannot become the draft of the open prompt; null if it can. */
function draftDisabledReasonOf(setup: Setup, { prompt, isMissing }: OpenedPrompt): string | null {
  if (setup.subject === null || prompt === undefined || isMissing) return t('playground:save.no_prompt')
  return isUnedited(setup, baseOf(prompt, null)) ? t('playground:save.same') : null
}

/** Returns the reason why the setup cannot become an agent; null if it can. Agents have no chat of their own. */
const agentDisabledReasonOf = (setup: Setup, { prompt }: OpenedPrompt): string | null =>
  setup.chat === null || isServed(setup, prompt) ? null : t('playground:save.agent_chat')

export function PlaygroundHeader({ session, opened, hasSide, onSide, onOpenDialog, onNew, onRunAll }: Props) {
  const setup = useStore(session.setup)
  const running = useStore(session.running)
  const disabledReasonOf = useDisabledReason()
  const writeDisabledReason = disabledReasonOf('resources.write')
  const isEmpty = isEmptyPrompt(setup.content, setup.chat)
  const saveDisabledReason = writeDisabledReason ?? (isEmpty ? t('playground:save.nothing') : null)
  const { prompt } = opened
  const draftDisabledReason =
    saveDisabledReason ??
    draftDisabledReasonOf(setup, opened) ??
    disabledReasonOf('resources.write', prompt?.workspace_id)
  const Fold = hasSide ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand
  const agentDisabledReason = saveDisabledReason ?? agentDisabledReasonOf(setup, opened)
  const side = t(hasSide ? 'playground:side.hide' : 'playground:side.show')
  return (
    <PageHeader
      title={t('playground:title')}
      purpose={t('playground:purpose')}
      actions={
        <>
          <Tooltip label={side}>
            <ActionIcon aria-label={side} onClick={onSide}>
              <Fold size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('playground:new')}>
            <ActionIcon aria-label={t('playground:new')} onClick={onNew}>
              <IconFilePlus size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('playground:history.title')}>
            <ActionIcon aria-label={t('playground:history.title')} onClick={() => onOpenDialog('history')}>
              <IconHistory size={16} />
            </ActionIcon>
          </Tooltip>
          <WhyDisabled reason={setup.columns.length < 2 ? t('playground:compare.one') : null}>
            <Button
              variant="default"
              leftSection={<IconGitCompare size={14} />}
              onClick={() => onOpenDialog('compare')}
            >
              {t('playground:compare.button')}
            </Button>
          </WhyDisabled>
          <Menu position="bottom-end" width={260}>
            <Menu.Target>
              <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                {t('playground:save.button')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <WhyDisabled reason={draftDisabledReason}>
                <Menu.Item onClick={() => onOpenDialog('draft')}>
                  {prompt === undefined || setup.subject === null
                    ? t('playground:save.draft_of_none')
                    : t('playground:save.draft_of', { key: prompt.key })}
                </Menu.Item>
              </WhyDisabled>
              <WhyDisabled reason={saveDisabledReason}>
                <Menu.Item onClick={() => onOpenDialog('prompt')}>
                  {t('playground:save.new_prompt')}
                </Menu.Item>
              </WhyDisabled>
              <WhyDisabled reason={agentDisabledReason}>
                <Menu.Item onClick={() => onOpenDialog('agent')}>{t('playground:save.new_agent')}</Menu.Item>
              </WhyDisabled>
              <Menu.Item onClick={() => onOpenDialog('case')}>{t('playground:save.case')}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          {running.size > 0 && (
            <Button
              variant="default"
              leftSection={<IconPlayerStop size={14} />}
              onClick={() => stopAll(session)}
            >
              {t('playground:stop_all')}
            </Button>
          )}
          <Button
            leftSection={setup.columns.length > 1 ? <IconColumns2 size={14} /> : <IconPlayerPlay size={14} />}
            onClick={onRunAll}
          >
            {t(setup.columns.length > 1 ? 'playground:run_all' : 'playground:run')}
            <Kbd size="xs" ml={8} aria-hidden="true" className={styles['kbd'] ?? ''}>
              {keyLabel('mod+Enter')}
            </Kbd>
          </Button>
        </>
      }
    />
  )
}
