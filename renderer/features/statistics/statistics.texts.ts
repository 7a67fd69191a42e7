import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/statistics.json'

addTexts('statistics', texts)
