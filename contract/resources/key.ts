import { invisible, KeyText } from '../common/fields.ts'

/** `billing/refund.first-reply`: the part before the last `/` is its folder. */
export const PromptKey = KeyText.refine((key) => !invisible.test(key), 'No control or invisible characters')
  .refine((key) => key === key.trim(), 'No space at the beginning or the end')
  .refine(
    (key) => key.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..'),
    'No empty, `.` or `..` segment between slashes',
  )
  .meta({
    description:
      'Printable Unicode in normalization form C; `/` separates segments, none of them empty, `.` or `..`',
    examples: ['billing/refund'],
  })
