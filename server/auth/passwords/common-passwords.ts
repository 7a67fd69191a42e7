import { dictionary } from '@zxcvbn-ts/language-common'
import { fold } from '../../lib/text/search.ts'

/**
 * 49,000 passwords from leaked lists and 7,776 words, normalized by `fold`. Loading them takes 100 ms and 15
 * MB, so only the worker imports this module, on the first check.
 */
const common: ReadonlySet<string> = new Set(Object.values(dictionary).flat().map(fold))

/** Returns true if one of these folded texts is in the list. */
export const hasCommonPassword = (texts: readonly string[]): boolean => texts.some((text) => common.has(text))
