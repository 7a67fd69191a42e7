import { Group, TextInput } from '@mantine/core'
import type { Price } from '../../../../contract/models/prices.ts'
import { typedNumber } from '../../../lib/format/localNumber.ts'
import { t } from '../../../lib/i18n.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { fieldErrorOf, keyOf, type PriceText, toPrice } from './prices.ts'

type Props = {
  /** Null for a new price. */
  readonly price: Price | null
  /** The keys of all prices, including `price`, as returned by `keyOf`. */
  readonly takenKeys: ReadonlySet<string>
  readonly onApply: (price: Price) => void
  readonly onClose: () => void
}

const rule = (field: keyof PriceText) => (text: string) => fieldErrorOf(field, text)

export function PriceForm({ price, takenKeys, onApply, onClose }: Props) {
  const isTaken = (values: PriceText): boolean =>
    fieldErrorOf('provider', values.provider) === null &&
    takenKeys.has(JSON.stringify([values.provider.trim(), values.model.trim(), values.from.trim()])) &&
    (price === null ||
      keyOf(price) !== JSON.stringify([values.provider.trim(), values.model.trim(), values.from.trim()]))
  const initial: PriceText = {
    provider: price?.provider ?? '',
    model: price?.model ?? '',
    from: price?.from ?? new Date().toISOString().slice(0, 10),
    input_usd_per_million: price === null ? '' : typedNumber(price.input_usd_per_million),
    output_usd_per_million: price === null ? '' : typedNumber(price.output_usd_per_million),
  }
  return (
    <FormModal<PriceText>
      title={t(price === null ? 'settings:prices.add_title' : 'settings:prices.edit_title')}
      initial={initial}
      submitLabel={t('settings:prices.apply')}
      onSubmit={async (values) => onApply(toPrice(values))}
      onClose={onClose}
      rules={{
        provider: rule('provider'),
        model: rule('model'),
        from: (text, values) =>
          fieldErrorOf('from', text) ?? (isTaken(values) ? t('settings:prices.twice') : null),
        input_usd_per_million: rule('input_usd_per_million'),
        output_usd_per_million: rule('output_usd_per_million'),
      }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('provider')}
            label={t('settings:prices.provider')}
            maxLength={128}
            autoComplete="off"
            data-autofocus
          />
          <TextInput
            {...form.getInputProps('model')}
            label={t('settings:prices.model')}
            description={t('settings:prices.model_help')}
            maxLength={128}
            autoComplete="off"
          />
          <TextInput {...form.getInputProps('from')} type="date" label={t('settings:prices.from')} />
          <Group grow align="flex-start">
            <TextInput
              {...form.getInputProps('input_usd_per_million')}
              label={t('settings:prices.input_long')}
              inputMode="decimal"
              maxLength={16}
            />
            <TextInput
              {...form.getInputProps('output_usd_per_million')}
              label={t('settings:prices.output_long')}
              inputMode="decimal"
              maxLength={16}
            />
          </Group>
        </>
      )}
    </FormModal>
  )
}
