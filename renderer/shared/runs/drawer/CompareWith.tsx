import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { ClockTime } from '../../../ui/display/ClockTime.tsx'
import { StatusBadge } from '../StatusBadge.tsx'
import styles from './drawer.module.css'
import { similarRunsQuery } from './run.queries.ts'

/** Button that selects a second run, and opens the comparison. */
export function CompareWith({ run }: { readonly run: RunDetail }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus width={340}>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {t('runs:compare.button')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="md">{isOpen && <Choice run={run} />}</Popover.Dropdown>
    </Popover>
  )
}

/** The latest similar runs, and a field for the id of any other. */
function Choice({ run }: { readonly run: RunDetail }) {
  const navigate = useNavigate()
  const { data: similar } = useQuery(similarRunsQuery(run))
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const id = typed.trim().replace(/^#/, '')
    if (!/^\d{1,15}$/.test(id) || Number(id) === run.id) setError(t('runs:compare.invalid'))
    else void navigate({ to: '/runs/compare', search: { a: String(run.id), b: id } })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          size="xs"
          label={t('runs:compare.id')}
          value={typed}
          error={error}
          inputMode="numeric"
          data-autofocus
          onChange={(event) => {
            setError(null)
            setTyped(event.currentTarget.value)
          }}
        />
        <Group justify="flex-end">
          <Button type="submit">{t('runs:compare.open')}</Button>
        </Group>
        {similar !== undefined && similar.length > 0 && (
          <div>
            <Text size="xs" c="dimmed">
              {t(run.ref_key === null ? 'runs:compare.same_model' : 'runs:compare.same_key')}
            </Text>
            {similar.map((other) => (
              <Link
                key={other.id}
                to="/runs/compare"
                search={{ a: String(run.id), b: String(other.id) }}
                className={styles['similar'] ?? ''}
              >
                <span className="mono">{other.id}</span>
                <ClockTime at={other.created_at} />
                <span className="mono dimmed truncate">{other.version ?? other.model}</span>
                <StatusBadge status={other.status} />
              </Link>
            ))}
          </div>
        )}
      </Stack>
    </form>
  )
}
