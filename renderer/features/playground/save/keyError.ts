import { t } from '../../../lib/i18n.ts'

/** Returns the error of an empty key or of one that ends with a slash; null if the key may be sent. */
export const keyError = (key: string): string | null =>
  key.trim() === '' || key.endsWith('/') ? t('playground:save.key_missing') : null
