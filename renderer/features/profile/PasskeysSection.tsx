import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Passkey } from '../../../contract/accounts/passkeys.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { hasPasskeys } from '../../lib/session/passkeys.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { Time } from '../../ui/display/Time.tsx'
import { QueryPending } from '../../ui/feedback/QueryPending.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import styles from '../../ui/list/ItemList.module.css'
import { Section } from '../../ui/page/Section.tsx'
import { AddPasskey, RenamePasskey } from './PasskeyDialogs.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { passkeysQuery } from './profile.queries.ts'

type Open = { readonly kind: 'add' } | { readonly kind: 'rename' | 'remove'; readonly passkey: Passkey }

/** The user's passkeys. Adding one requires a browser and an address that support passkeys. */
export function PasskeysSection() {
  const query = useQuery(passkeysQuery)
  const queries = useQueryClient()
  const [open, setOpen] = useDialogState<Open>('passkeys')
  const close = (): void => setOpen(null)
  const refresh = (): Promise<unknown> => invalidateEntities(queries, 'user', 'audit')
  const remove = async ({ id, name }: Passkey, current_password: string): Promise<void> => {
    await client.passkeys.remove({ params: { id }, body: { current_password } })
    await refresh()
    toast(t('profile:passkeys.removed', { name }))
  }
  return (
    <Section
      title={t('profile:passkeys.title')}
      aside={
        hasPasskeys() && (
          <Button variant="subtle" size="compact-xs" onClick={() => setOpen({ kind: 'add' })}>
            {t('profile:passkeys.add')}
          </Button>
        )
      }
    >
      {query.data !== undefined ? (
        <PasskeyList passkeys={query.data} onOpen={setOpen} />
      ) : (
        <QueryPending query={query} height={44} />
      )}
      {!hasPasskeys() && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('profile:passkeys.unsupported')}
        </Text>
      )}
      {open?.kind === 'add' && <AddPasskey onAdded={refresh} onClose={close} />}
      {open?.kind === 'rename' && (
        <RenamePasskey passkey={open.passkey} onRenamed={refresh} onClose={close} />
      )}
      {open?.kind === 'remove' && (
        <PasswordDialog
          title={t('profile:passkeys.remove_title', { name: open.passkey.name })}
          text={t('profile:passkeys.remove_text')}
          action={t('profile:passkeys.remove_action')}
          run={(password) => remove(open.passkey, password)}
          onClose={close}
        />
      )}
    </Section>
  )
}

type ListProps = { readonly passkeys: readonly Passkey[]; readonly onOpen: (open: Open) => void }

function PasskeyList({ passkeys, onOpen }: ListProps) {
  if (passkeys.length === 0) return <div className="dimmed">{t('profile:passkeys.none')}</div>
  return (
    <ul className={styles['list']}>
      {passkeys.map((passkey) => (
        <li key={passkey.id} className={styles['item']}>
          <div className={styles['text']}>
            <div className="truncate">
              <bdi>{passkey.name}</bdi>
            </div>
            <div className={styles['facts']}>
              {t('profile:passkeys.facts', { host: passkey.host })} <Time at={passkey.created_at} /> ·{' '}
              {passkey.last_used_at === null ? (
                t('profile:passkeys.never_used')
              ) : (
                <>
                  {t('profile:passkeys.used')} <Time at={passkey.last_used_at} />
                </>
              )}
            </div>
          </div>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="compact-xs" onClick={() => onOpen({ kind: 'rename', passkey })}>
              {t('profile:passkeys.rename')}
            </Button>
            <Button variant="default" size="compact-xs" onClick={() => onOpen({ kind: 'remove', passkey })}>
              {t('profile:passkeys.remove')}
            </Button>
          </Group>
        </li>
      ))}
    </ul>
  )
}
