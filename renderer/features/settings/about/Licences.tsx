import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import styles from '../settings.module.css'
import { type Licence, licencesQuery } from '../settings.queries.ts'

/** A searchable list of the third-party packages that ship with Promptdeck, with their licence texts. */
export function Licences() {
  const query = useQuery(licencesQuery)
  const [text, setText] = useState('')
  if (query.data === undefined) {
    return <QueryPending query={query} height={120} />
  }
  const found = query.data.filter(({ name }) => name.includes(text.trim().toLowerCase()))
  return (
    <section className={styles['groupBody']} aria-label={t('settings:about.licences')}>
      <p className={styles['note']}>{t('settings:about.licences_purpose', { count: query.data.length })}</p>
      <TextInput
        size="xs"
        className={styles['search'] ?? ''}
        leftSection={<IconSearch size={14} />}
        aria-label={t('settings:about.licences_search')}
        placeholder={t('settings:about.licences_search')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {found.length === 0 && <p className={styles['note']}>{t('settings:about.licences_none')}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <ul className={styles['licences']} tabIndex={0} aria-label={t('settings:about.licences')}>
        {found.map((licence) => (
          <Item key={`${licence.name} ${licence.version}`} licence={licence} />
        ))}
      </ul>
    </section>
  )
}

function Item({ licence }: { readonly licence: Licence }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details className={styles['details']} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="mono">
            {licence.name} {licence.version}
          </span>{' '}
          <span className="dimmed">{licence.license}</span>
        </summary>
        {isOpen && (
          <CodeBlock
            text={licence.text ?? t('settings:about.no_text')}
            label={t('settings:about.licence_text', { name: licence.name })}
          />
        )}
      </details>
    </li>
  )
}
