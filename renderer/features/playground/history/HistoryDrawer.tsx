import { ActionIcon, Button, Drawer, Tooltip, UnstyledButton } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { useRestoredFocus } from '../../../lib/page/focus.ts'
import { useStore } from '../../../lib/state/store.ts'
import { confirm, useIsConfirmOpen } from '../../../ui/dialog/confirm.tsx'
import { Badge, type Tone } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { openEntry } from '../opening.ts'
import styles from '../panels.module.css'
import type { PlaygroundSession } from '../session.ts'
import { clearHistory, type HistoryLine, historyLines, readHistory, removeEntry } from './history.ts'

type Props = { readonly session: PlaygroundSession; readonly onClose: () => void }

/** A drawer with the past runs in this browser. An entry opens with its setup and its results. */
export function HistoryDrawer({ session, onClose }: Props) {
  const { owner } = session
  const queries = useQueryClient()
  const lines = useStore(historyLines)
  const isConfirmOpen = useIsConfirmOpen()
  const [isMissing, setMissing] = useState(false)
  useEffect(() => void readHistory(owner), [owner])
  useRestoredFocus()
  const open = async (id: string): Promise<void> => {
    if (await openEntry(session, queries, id)) onClose()
    else {
      setMissing(true)
      await readHistory(owner)
    }
  }
  const clear = (): void =>
    void confirm({
      title: t('playground:history.clear_title'),
      body: t('playground:history.clear_body', { count: lines?.length ?? 0 }),
      action: t('playground:history.clear'),
      isDangerous: true,
      run: () => clearHistory(owner),
    })
  return (
    <Drawer
      opened
      onClose={onClose}
      closeOnEscape={!isConfirmOpen}
      position="right"
      size={440}
      title={t('playground:history.title')}
      closeButtonProps={{ 'aria-label': t('common:close') }}
      transitionProps={{ duration: 120 }}
      // Without this role, the drawer's <header> would be a second banner landmark of the page.
      attributes={{ header: { role: 'presentation' } }}
    >
      <div className={styles['history']}>
        <div className={styles['historyHead']}>
          <p className="note">{t('playground:history.help')}</p>
          {lines !== null && lines.length > 0 && (
            <Button size="compact-xs" variant="subtle" color="gray" flex="none" onClick={clear}>
              {t('playground:history.clear')}
            </Button>
          )}
        </div>
        {isMissing && (
          <p className={styles['bad']} role="alert">
            {t('playground:history.gone')}
          </p>
        )}
        {lines?.length === 0 && (
          <EmptyState title={t('playground:history.empty')} text={t('playground:history.empty_text')} />
        )}
        {lines !== null && lines.length > 0 && (
          <ol className={styles['entries']} aria-label={t('playground:history.title')}>
            {lines.map((line) => (
              <Entry
                key={line.id}
                line={line}
                onOpen={() => void open(line.id)}
                onRemove={() => void removeEntry(owner, line.id)}
              />
            ))}
          </ol>
        )}
      </div>
    </Drawer>
  )
}

const tones: Readonly<Record<string, Tone>> = { done: 'ok', failed: 'bad', stopped: 'warn', cut: 'warn' }

type EntryProps = { readonly line: HistoryLine; readonly onOpen: () => void; readonly onRemove: () => void }

function Entry({ line, onOpen, onRemove }: EntryProps) {
  return (
    <li className={styles['entry']}>
      <UnstyledButton className={styles['entryOpen'] ?? ''} onClick={onOpen}>
        <span className={styles['entryHead']}>
          {line.key !== null && <bdi className="mono truncate">{line.key}</bdi>}
          <span className="dimmed">
            <Time at={line.at} />
          </span>
        </span>
        <bdi className={styles['entryText']}>{line.text}</bdi>
        <span className={styles['entryModels']}>
          {line.columns.map(({ model, status }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a past run never changes
            <Badge key={`${index} ${model}`} tone={tones[status] ?? 'quiet'}>
              <bdi className="mono truncate">{model}</bdi>
              {t(`playground:status.${status}`)}
            </Badge>
          ))}
        </span>
      </UnstyledButton>
      <Tooltip label={t('playground:history.remove')}>
        <ActionIcon size={24} aria-label={t('playground:history.remove')} onClick={onRemove}>
          <IconTrash size={14} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
