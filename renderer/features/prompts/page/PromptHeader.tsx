import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconCopy,
  IconDots,
  IconFlask,
  IconFolderSymlink,
  IconLock,
  IconRocket,
  IconTrash,
} from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { Prompt } from '../../../../contract/prompt.ts'
import type { Convergence } from '../../../../contract/prompt-rollout.ts'
import { t } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import head from '../../../shared/definitions/head.module.css'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import type { PromptEditing } from '../editor/usePromptEditing.ts'
import { ancestorsOf } from '../list/folders.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import styles from './prompt.module.css'
import { StatusLine } from './StatusLine.tsx'

type Props = {
  readonly prompt: Prompt
  readonly rollout: Convergence | undefined
  readonly editing: PromptEditing
  readonly actions: PromptActions
  readonly onPublish: () => void
}

/** The header of a prompt's page: key, served version, and the actions save and publish. */
export function PromptHeader({ prompt, rollout, editing, actions, onPublish }: Props) {
  const navigate = useNavigate()
  const subject = { ...prompt, client_count: rollout?.total ?? 0 }
  const mayNotServe = actions.mayNotServe(subject)
  const hasNothing = !prompt.has_draft && !editing.isDirty
  const whyNotPublish = mayNotServe ?? (hasNothing ? t('prompt:publish.nothing') : null)
  const isLocked = prompt.protected && mayNotServe !== null
  return (
    <div className={head['head']}>
      <Breadcrumbs prompt={prompt} />
      <PageHeader
        title={prompt.key}
        purpose={<StatusLine prompt={prompt} rollout={rollout} editing={editing} />}
        actions={
          <>
            <Menu position="bottom-end" width={190}>
              <Menu.Target>
                <ActionIcon aria-label={t('prompts:menu', { key: prompt.key })}>
                  <IconDots size={16} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <WhyDisabled reason={actions.mayNotWrite}>
                  <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => actions.duplicate(subject)}>
                    {t('prompts:duplicate.menu')}
                  </Menu.Item>
                </WhyDisabled>
                <WhyDisabled reason={actions.mayNotMove(subject)}>
                  <Menu.Item
                    leftSection={<IconFolderSymlink size={14} />}
                    onClick={() => actions.move(subject)}
                  >
                    {t('prompts:move.menu')}
                  </Menu.Item>
                </WhyDisabled>
                <WhyDisabled reason={mayNotServe}>
                  <Menu.Item
                    leftSection={<IconTrash size={14} />}
                    onClick={() =>
                      void actions.remove(subject).then((isRemoved) => {
                        if (isRemoved) void navigate({ to: '/prompts' })
                      })
                    }
                  >
                    {t('prompts:delete.menu')}
                  </Menu.Item>
                </WhyDisabled>
              </Menu.Dropdown>
            </Menu>
            <LinkButton
              variant="subtle"
              color="gray"
              leftSection={<IconFlask size={14} />}
              to="/playground"
              search={{ prompt: prompt.id }}
            >
              {t('prompt:playground')}
            </LinkButton>
            {editing.isDirty && (
              <Button variant="subtle" color="gray" onClick={editing.discard}>
                {t('prompt:edit.discard')}
              </Button>
            )}
            <WhyDisabled reason={actions.mayNotWrite ?? (editing.isDirty ? null : t('prompt:edit.nothing'))}>
              <Button variant="default" loading={editing.isSaving} onClick={() => void editing.save()}>
                {t('prompt:edit.save')}
              </Button>
            </WhyDisabled>
            <WhyDisabled reason={whyNotPublish}>
              <Button
                leftSection={isLocked ? <IconLock size={14} /> : <IconRocket size={14} />}
                onClick={onPublish}
              >
                {t('prompt:publish.button')}
              </Button>
            </WhyDisabled>
            {isLocked && <span className={styles['locked']}>{mayNotServe}</span>}
          </>
        }
      />
    </div>
  )
}

/** Breadcrumbs such as "Prompts › folder › folder"; each folder links to its list. */
function Breadcrumbs({ prompt }: { readonly prompt: Prompt }) {
  const folders = prompt.folder === '' ? [] : [...ancestorsOf(prompt.folder), prompt.folder]
  return (
    <nav className={head['crumbs']} data-wrap aria-label={t('prompt:crumbs')}>
      <Link to="/prompts">{t('prompts:title')}</Link>
      {folders.map((folder) => (
        <Fragment key={folder}>
          <span aria-hidden="true">›</span>
          <Link to="/prompts" search={{ folder }}>
            {folder.slice(folder.lastIndexOf('/') + 1)}
          </Link>
        </Fragment>
      ))}
    </nav>
  )
}
