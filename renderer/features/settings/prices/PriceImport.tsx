import type { Price } from '../../../../contract/models/prices.ts'
import { t } from '../../../lib/i18n.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { parsePrices } from './prices.ts'

type Props = { readonly onApply: (prices: readonly Price[]) => void; readonly onClose: () => void }

const maxErrors = 5

/** A form for pasted prices, one per line. It imports nothing unless every line is valid. */
export function PriceImport({ onApply, onClose }: Props) {
  return (
    <FormModal
      title={t('settings:prices.import_title')}
      initial={{ text: '' }}
      submitLabel={t('settings:prices.import_action')}
      size={640}
      onSubmit={async ({ text }) => onApply(parsePrices(text).prices)}
      onClose={onClose}
      rules={{
        text: (text) => {
          const { prices, errors } = parsePrices(text)
          if (errors.length > 0) return errors.slice(0, maxErrors).join(' ')
          return prices.length === 0 ? t('settings:prices.import_empty') : null
        },
      }}
    >
      {(form) => (
        <Textarea
          {...form.getInputProps('text')}
          label={t('settings:prices.import_label')}
          description={t('settings:prices.import_help')}
          placeholder="openai,gpt-4o,2024-08-06,2.5,10"
          classNames={{ input: 'mono' }}
          minRows={10}
          spellCheck={false}
          data-autofocus
        />
      )}
    </FormModal>
  )
}
