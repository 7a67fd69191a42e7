import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/tokens.json'

addTexts('tokens', texts)
