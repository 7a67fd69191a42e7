import '../../ui/definition/definition.texts.ts'
import '../../ui/model/model.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import agents from '../../locales/en/agents.json'

addTexts('agents', agents)
