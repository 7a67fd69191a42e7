import { beforeAll, expect, it } from 'vitest'
import { ensure } from '../../scripts/ensure.mjs'
import { runSnippet } from '../renderer/support/connect.ts'
import { eventually, patience, setUpConsole } from '../renderer/support/console.ts'
import { playgroundPage } from '../renderer/support/pages/playground.ts'
import { promptPage, promptsPage } from '../renderer/support/pages/prompts.ts'
import { serviceToken } from '../support/service.ts'

// A chat prompt with tools and a JSON Schema, from its creation in the console to the apps that use it.
const console = setUpConsole()
beforeAll(async () => {
  await console.server.call('POST /api/workspaces', { body: { name: 'Copy' } })
  await ensure(['sdk'])
})

const key = 'support/answer'
const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const messages = [
  { role: 'system', content: 'You help {{customer}}.' },
  { placeholder: 'history' },
  { role: 'user', content: 'Where is order {{order}}?' },
]
const params = {
  temperature: 0.2,
  tools: [{ name: 'find_order', description: '', parameters: { type: 'object' } }],
  response_format: { type: 'json_schema', json_schema: { name: 'response', schema } },
}
const content = [
  'system: You help {{customer}}.',
  'placeholder: {{history}}',
  'user: Where is order {{order}}?',
].join('\n\n')

const served = async (env: string, workspace = 'default') =>
  (
    await console.server.call(
      `GET /api/sdk/prompts/${encodeURIComponent(key)}?env=${env}&workspace=${workspace}`,
    )
  ).body

/** Returns a program that renders the prompt with the SDK: as messages, and as a text like older programs. */
const program = () => `import { Client } from "@promptdeck/sdk"
const client = new Client({ server: ${JSON.stringify(console.server.url)}, token: process.env.PROMPTDECK_TOKEN,
  appName: "shop", namespace: "dev" })
const values = { customer: "Ada", order: "A-17" }
const history = [{ role: "user", content: "Hello {{customer}}" }]
const messages = await client.renderMessages(${JSON.stringify(key)}, values, { history })
const { params, type } = await client.getPrompt(${JSON.stringify(key)})
const text = await client.render(${JSON.stringify(key)}, values)
console.log("RESULT" + JSON.stringify({ type, messages, params, text }))
await client.close()
`

it(
  'is made in the console, published, rendered by an app, run, changed, promoted, compared and copied',
  async () => {
    const { page, faults } = await console.visit((await console.server.signedIn('admin', 'edda')).token)
    const client = console.server.client()
    const prompts = promptsPage(page)
    const prompt = promptPage(page)

    // Made in the console.
    await prompts.goto()
    await prompts.create.click()
    await prompts.dialog.field('Key').fill(key)
    await prompts.dialog.choose('Save as draft (apps do not receive it)')
    await prompts.dialog.button('Create prompt').click()
    await prompt.status.filter({ hasText: 'Never published' }).waitFor()
    await page.getByText('Chat', { exact: true }).first().click()
    const write = async (number: number, text: string) => {
      await page.getByRole('textbox', { name: `Text of message ${number}` }).click()
      await page.keyboard.insertText(text)
    }
    await page.getByRole('button', { name: 'Add message' }).click()
    await write(1, 'You help {{customer}}.')
    await page.getByRole('button', { name: 'Add placeholder' }).click()
    await page.getByRole('button', { name: 'Add message' }).click()
    await write(3, 'Where is order {{order}}?')
    await page.getByRole('textbox', { name: 'Temperature' }).fill('0.2')
    await page.getByRole('combobox', { name: 'Response format' }).selectOption('json_schema')
    await page.getByRole('textbox', { name: 'JSON Schema of the response' }).fill(JSON.stringify(schema))
    await page.getByRole('button', { name: 'Add tool', exact: true }).click()
    const tools = page.getByRole('list', { name: 'Tools' })
    await tools.getByRole('textbox', { name: 'Name', exact: true }).fill('find_order')
    await tools.getByRole('textbox', { name: 'Parameters (JSON Schema)' }).fill('{"type":"object"}')
    // The field suggests the models of the providers.
    const model = page.getByRole('combobox', { name: 'Model', exact: true })
    await model.fill('mock-l')
    await page.getByRole('option', { name: 'mock-large' }).click()
    await prompt.publish.click()
    await prompt.dialog.button('Publish v1 in dev').click()
    await prompt.dialog.button('Done').click()
    await prompt.status.filter({ hasText: 'v1 is live, no draft changes' }).waitFor()

    // Fetched: new clients get messages and parameters, old ones the same as a text.
    const first = await served('dev')
    expect(first).toMatchObject({
      type: 'chat',
      version: 'v1',
      model: 'mock-large',
      messages,
      params,
      content,
    })
    const app = await runSnippet('Node', program(), serviceToken)
    await eventually(app.output).toMatch(/RESULT.+\n/)
    const rendered = JSON.parse(/RESULT(.+)\n/.exec(app.output())?.[1] ?? '')
    expect(rendered).toEqual({
      type: 'chat',
      params,
      messages: [
        { role: 'system', content: 'You help Ada.' },
        { role: 'user', content: 'Hello {{customer}}' },
        { role: 'user', content: 'Where is order A-17?' },
      ],
      text: 'system: You help Ada.\n\nplaceholder: {{history}}\n\nuser: Where is order A-17?',
    })
    await app.stop()

    // Run in the Playground, as it is and edited.
    await client.settings.update({ body: { capture: 'full' } })
    const { id } = (await client.prompts.list({ query: { key } })).data[0] ?? { id: '' }
    const playground = playgroundPage(page)
    await playground.goto(`?prompt=${id}`)
    await playground.value('customer').fill('Ada')
    await playground.value('order').fill('A-17')
    const run = async () => {
      const before = (await client.runs.list({ query: { source: 'playground' } })).total
      await playground.runAll.click()
      await eventually(async () => (await client.runs.list({ query: { source: 'playground' } })).total).toBe(
        before + 1,
      )
      const { data } = await client.runs.list({ query: { source: 'playground', limit: 1 } })
      return (await client.runs.get({ params: { id: String(data[0]?.id) } })).data
    }
    expect(await run()).toMatchObject({
      ref_key: key,
      version: 'v1',
      env: 'dev',
      model: 'mock-large',
      params: { temperature: 0.2 },
      input: {
        messages: [{ content: 'You help Ada.' }, { content: 'Where is order A-17?' }],
        tools: params.tools,
        response_schema: schema,
      },
    })
    await playground.side.getByRole('textbox', { name: 'Text of message 3' }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.insertText(' Answer briefly.')
    expect(await run()).toMatchObject({
      ref_key: null,
      params: { temperature: 0.2 },
      input: {
        messages: [{ content: 'You help Ada.' }, { content: 'Where is order A-17? Answer briefly.' }],
        tools: params.tools,
        response_schema: schema,
      },
    })
    await playground.saveAs(`Draft of ${key}…`)
    await page.getByRole('button', { name: 'Save draft' }).click()
    await playground.state.filter({ hasText: 'Draft, unchanged' }).waitFor()

    // The live version is promoted without the draft, so both environments serve the same.
    await prompt.goto(id, '?tab=versions')
    await page
      .getByRole('list', { name: 'Messages', exact: true })
      .getByText('Answer briefly.')
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Promote to test' }).click()
    await prompt.dialog.button('Promote v1 to test').click()
    await prompt.dialog.button('Done').click()
    await prompt.env('test').getByText('v1', { exact: true }).waitFor()
    expect({ ...(await served('test')), etag: '' }).toEqual({ ...first, env: 'test', etag: '' })

    // Exported and imported without loss, in every format that supports chat prompts.
    for (const [format, name] of [
      ['json', 'a.json'],
      ['yaml', 'a.yaml'],
      ['markdown', 'a.md'],
      ['langfuse', 'a.json'],
      ['openai', 'a.json'],
    ] as const) {
      const { text } = await console.server.call(
        `GET /api/prompts/export?format=${format}&env=test&workspace=default`,
      )
      const reply = await console.server.call('POST /api/prompts/import', {
        body: {
          files: [{ name, content: text }],
          publish: true,
          workspace_id: 'copy',
          env: 'test',
          prefix: format,
        },
      })
      expect(reply.body.data).toMatchObject({ created: 1, format })
      const query = { workspace: 'copy', key: `${format}/${key}` }
      const copy = (await client.prompts.list({ query })).data[0]
      expect(copy?.served).toMatchObject({ type: 'chat', model: 'mock-large', messages, params, content })
    }
    expect(faults).toEqual([])
  },
  patience * 3,
)
