import { Button } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import type { Settings } from '../../../contract/system/settings.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { useLeaveGuard } from '../../ui/dialog/useLeaveGuard.ts'
import { Time } from '../../ui/display/Time.tsx'
import styles from './settings.module.css'

export type Saving = {
  readonly isDirty: boolean
  /** True if the unsaved input was restored after a session had expired. */
  readonly isRestored?: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onSave: () => void
  readonly onReset: () => void
}

type Props = {
  /** The id in the URL, such as `prices` in `/settings#prices`. */
  readonly id: string
  readonly title: string
  readonly purpose: string
  /** The last change of each setting in the group; the newest is displayed. */
  readonly updated?: readonly (Settings['updated'][string] | undefined)[]
  /** Displayed to the right of the title. */
  readonly aside?: ReactNode
  /** Missing if the group has nothing to save. */
  readonly saving?: Saving
  readonly children: ReactNode
}

/** Scrolls to a group and moves the focus to it. */
export function goToGroup(id: string): void {
  const group = document.getElementById(id)
  group?.scrollIntoView({ block: 'start' })
  group?.focus({ preventScroll: true })
}

/**
 * A group of settings that are saved together, with the author of the last change. The hash of the URL opens
 * a group.
 */
export function SettingsGroup({ id, title, purpose, updated, aside, saving, children }: Props) {
  useLeaveGuard(saving?.isDirty === true)
  const isTarget = useLocation({ select: (location) => location.hash === id })
  useEffect(() => {
    if (isTarget) goToGroup(id)
  }, [isTarget, id])
  // A change without a reply may have taken effect: then nothing is left to save.
  const isSettled = saving?.error != null && !saving.isDirty && !saving.isPending
  useEffect(() => {
    if (isSettled) saving?.onReset()
  })
  const submit = (event: FormEvent): void => {
    // React events bubble through portals, so the submit of a dialog's form arrives here too.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    if (saving?.isDirty === true && !saving.isPending) saving.onSave()
  }
  const newest = updated
    ?.filter((change) => change !== undefined)
    .toSorted((a, b) => b.at.localeCompare(a.at))[0]
  return (
    <section id={id} className={styles['group']} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header className={styles['groupHead']}>
        <div className={styles['groupText']}>
          <h2 id={`${id}-title`} className={styles['groupTitle']}>
            {title}
          </h2>
          <p className={styles['note']}>{purpose}</p>
        </div>
        {aside}
      </header>
      <form onSubmit={submit} noValidate className={styles['groupBody']}>
        {children}
        {saving !== undefined && saving.error !== null && <FormFailure error={saving.error} />}
        {(saving !== undefined || updated !== undefined) && (
          <footer className={styles['groupFoot']}>
            <span className={styles['note']}>
              {saving?.isDirty === true
                ? t(saving.isRestored === true ? 'common:form.restored' : 'settings:unsaved')
                : newest === undefined
                  ? t('settings:unchanged')
                  : tNode('settings:changed', {
                      by: (
                        <b>
                          <bdi>{newest.by}</bdi>
                        </b>
                      ),
                      time: <Time at={newest.at} />,
                    })}
            </span>
            {saving !== undefined && (
              <span className={styles['buttons']}>
                {saving.isDirty && (
                  <Button variant="default" onClick={saving.onReset}>
                    {t('settings:reset')}
                  </Button>
                )}
                <WhyDisabled reason={saving.isDirty ? null : t('settings:nothing')}>
                  <Button
                    type="submit"
                    variant={saving.isDirty ? 'filled' : 'default'}
                    loading={saving.isPending}
                    aria-label={t('settings:save', { group: title })}
                  >
                    {t('common:save')}
                  </Button>
                </WhyDisabled>
              </span>
            )}
          </footer>
        )}
      </form>
    </section>
  )
}
