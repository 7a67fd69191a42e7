import { Button, Group, Stack, Text } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/service/download.ts'
import { useRealMe } from '../../lib/session/me.ts'
import { useCopy } from '../../ui/feedback/copy.ts'
import styles from './profile.module.css'

type Props = { readonly codes: readonly string[]; readonly onDone: () => void }

/** New recovery codes, which cannot be displayed again, with buttons to copy and to download them. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const me = useRealMe()
  const clipboard = useCopy()
  const lines = codes.join('\n')
  const download = (): void => {
    const head = t('profile:codes.file', { name: me.username, host: location.host })
    saveFile('promptdeck-recovery-codes.txt', [`${head}\n\n${lines}\n`], 'text/plain')
  }
  return (
    <Stack gap="lg">
      <Text size="sm">{t('profile:codes.text')}</Text>
      <ul className={styles['codes']} aria-label={t('profile:codes.list')}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <Button variant="default" onClick={() => clipboard.copy(lines)}>
            {t(clipboard.isCopied ? 'profile:codes.copied' : 'profile:codes.copy')}
          </Button>
          <Button variant="default" onClick={download}>
            {t('profile:codes.download')}
          </Button>
        </Group>
        <Button onClick={onDone}>{t('profile:codes.done')}</Button>
      </Group>
    </Stack>
  )
}
