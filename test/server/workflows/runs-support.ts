import { model, render } from './workflow-support.ts'

export { server, setUpService } from '../file-service.ts'

export const hello = [render('r', 'Hi {{who}}'), model('m'), { name: 'u', type: 'transform', op: 'upper' }]
