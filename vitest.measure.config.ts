import base from './vitest.config.ts'
const c: any = base
c.test.setupFiles = ['/tmp/wt/mb/cpu-setup.ts']
c.test.maxWorkers = 1
if (!process.env.WITH_PG) c.test.projects = c.test.projects.filter((p: any) => p.test.name !== 'postgres')
export default c
