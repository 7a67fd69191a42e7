import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/palette.json'

addTexts('palette', texts)
