import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/profile.json'

addTexts('profile', texts)
