import { addTexts } from '../../lib/i18n.ts'
import model from '../../locales/en/model.json'

addTexts('model', model)
