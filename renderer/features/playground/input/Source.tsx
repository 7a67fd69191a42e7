import { Button, Group, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { Hint } from '../../../ui/display/Hint.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { isUnedited } from '../column/request.ts'
import { openPrompt } from '../opening.ts'
import styles from '../playground.module.css'
import { versionLabelsQuery } from '../playground.queries.ts'
import type { Setup } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import type { OpenedPrompt } from './base.ts'
import { PromptPicker } from './PromptPicker.tsx'

type Props = { readonly setup: Setup; readonly session: PlaygroundSession; readonly opened: OpenedPrompt }

/** The open prompt and its version, and whether the text was edited since. */
export function Source({ setup, session, opened }: Props) {
  const queries = useQueryClient()
  const [failure, setFailure] = useState<string | null>(null)
  const { subject } = setup
  const open = (id: string, version?: string): void => {
    setFailure(null)
    openPrompt(session, queries, id, version).then(
      (isFound) => !isFound && setFailure(t('playground:missing.title')),
      (error: unknown) => setFailure(asApiError(error)?.message ?? t('common:error.unknown')),
    )
  }
  const isEdited = opened.base !== undefined && !isUnedited(setup, opened.base)
  return (
    <div className={styles['source']}>
      <div className={styles['picker']}>
        <PromptPicker
          subject={subject}
          prompt={opened.prompt}
          onPick={(id) => open(id)}
          onClear={() => session.change({ subject: null })}
        />
        {subject !== null && (
          <VersionSelect
            id={subject.id}
            value={subject.version}
            hasDraft={opened.prompt?.has_draft ?? false}
            onChange={(version) => open(subject.id, version)}
          />
        )}
      </div>
      {subject !== null && opened.prompt !== undefined && !opened.isMissing && (
        <div className={styles['state']}>
          <EnvBadge env={opened.prompt.env} />
          <span className="dimmed truncate" data-testid="source-state">
            {isEdited ? (
              <Hint label={t('playground:source.edited_help')}>
                <span>{t('playground:source.edited', { version: versionName(subject.version) })}</span>
              </Hint>
            ) : (
              t('playground:source.same', { version: versionName(subject.version) })
            )}
          </span>
          <Group gap={4} ml="auto" wrap="nowrap">
            {isEdited && (
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                onClick={() => open(subject.id, subject.version)}
              >
                {t('playground:source.revert')}
              </Button>
            )}
            <LinkButton
              size="compact-xs"
              variant="subtle"
              color="gray"
              to="/prompts/$id"
              params={{ id: subject.id }}
            >
              {t('playground:source.open')}
            </LinkButton>
          </Group>
        </div>
      )}
      {opened.isMissing && (
        <p className={styles['bad']} role="alert">
          {t('playground:source.gone', { key: subject?.key ?? '' })}
        </p>
      )}
      {failure !== null && (
        <p className={styles['bad']} role="alert">
          {failure}
        </p>
      )}
    </div>
  )
}

const versionName = (version: string): string =>
  version === 'draft' ? t('playground:source.draft') : version

type VersionProps = {
  readonly id: string
  readonly value: string
  readonly hasDraft: boolean
  readonly onChange: (version: string) => void
}

/** A select of the draft, if there is one, and all versions. */
function VersionSelect({ id, value, hasDraft, onChange }: VersionProps) {
  const { data = [] } = useQuery(versionLabelsQuery(id))
  const options = [
    ...(hasDraft || data.length === 0 ? [{ value: 'draft', label: t('playground:source.draft') }] : []),
    ...data.map(({ version, served }) => ({
      value: version,
      label: served ? t('playground:source.live', { version }) : version,
    })),
  ]
  const isKnown = options.some((option) => option.value === value)
  return (
    <NativeSelect
      size="xs"
      className={styles['version'] ?? ''}
      aria-label={t('playground:source.version')}
      value={value}
      data={isKnown ? options : [{ value, label: versionName(value) }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
