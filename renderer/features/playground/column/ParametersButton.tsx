import { ActionIcon, Button, Indicator, NativeSelect, Popover, TextInput, Tooltip } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { useState } from 'react'
import { offlineProvider } from '../../../../contract/models/models.ts'
import { type TextKey, t } from '../../../lib/i18n.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import styles from '../playground.module.css'
import {
  countSetParameters,
  mockParameters,
  type Parameter,
  parameters,
  parseParameters,
} from './parameters.ts'

type Props = {
  readonly number: number
  readonly typed: Readonly<Record<string, string>>
  readonly provider: string
  readonly onChange: (typed: Record<string, string>) => void
}

/** A button with a form for the model parameters; empty fields use the provider's defaults. */
export function ParametersButton({ number, typed, provider, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { errors } = parseParameters(typed, provider)
  const count = countSetParameters(typed, provider)
  const label = t('playground:params.button', { number, count })
  const shown = provider === offlineProvider ? [...mockParameters, ...parameters] : parameters
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={330} trapFocus withRoles={false}>
      <Popover.Target>
        <Tooltip label={label} disabled={isOpen}>
          <Indicator
            size={14}
            label={count}
            disabled={count === 0}
            color={Object.keys(errors).length > 0 ? 'red.9' : 'indigo'}
            offset={3}
          >
            <ActionIcon aria-label={label} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <IconAdjustmentsHorizontal size={16} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('playground:params.title')}>
        <div className={styles['params']}>
          {shown.map((parameter) => (
            <Field
              key={parameter.name}
              parameter={parameter}
              value={typed[parameter.name] ?? ''}
              error={errors[parameter.name]}
              onChange={(value) => {
                const { [parameter.name]: _, ...others } = typed
                onChange(value === '' ? others : { ...others, [parameter.name]: value })
              }}
            />
          ))}
        </div>
        <div className={styles['paramsFoot']}>
          <span className="note">{t('playground:params.help')}</span>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange({})}>
            {t('playground:params.reset')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

type FieldProps = {
  readonly parameter: Parameter
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function Field({ parameter: { name, kind, choices = [], placeholder }, value, error, onChange }: FieldProps) {
  const label = t(`playground:params.field.${name.replace('.', '_')}` as TextKey)
  const shared = { size: 'xs', label, error, value } as const
  if (kind === 'choice') {
    return (
      <NativeSelect
        {...shared}
        data={[{ value: '', label: t('playground:params.unset') }, ...choices]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  if (kind === 'list') {
    return (
      <Textarea
        {...shared}
        className={styles['paramWide'] ?? ''}
        description={t('playground:params.stop_help')}
        maxRows={8}
        classNames={{ input: styles['monoInput'] ?? '' }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      placeholder={placeholder}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
