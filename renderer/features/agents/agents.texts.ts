import '../../shared/definitions/definition.texts.ts'
import '../../shared/models/model.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import agents from '../../locales/en/agents.json'

addTexts('agents', agents)
