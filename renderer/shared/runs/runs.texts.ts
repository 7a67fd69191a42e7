import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/runs.json'

addTexts('runs', texts)
