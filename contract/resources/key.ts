import { KeyText } from '../common/fields.ts'

/**
 * Matches control, format, surrogate, private-use and line-separating characters, so that keys do not differ
 * only in invisible characters. The zero-width joiner is an exception, because emoji contain it.
 */
const unprintable = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u

/** `billing/refund.first-reply`: the part before the last `/` is its folder. */
export const PromptKey = KeyText.refine((key) => !unprintable.test(key), 'No control or invisible characters')
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
