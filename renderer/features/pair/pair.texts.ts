import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/pair.json'

addTexts('pair', texts)
