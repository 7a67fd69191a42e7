import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/playground.json'

addTexts('playground', texts)
