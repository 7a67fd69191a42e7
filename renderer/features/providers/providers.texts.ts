import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/providers.json'

addTexts('providers', texts)
