import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { withPlayground } from '../support/fixtures/playground.ts'
import { waitUntilStored } from '../support/pages/playground.ts'
import { holdRequests } from '../support/replies.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('Input of the Playground', { timeout: patience }, () => {
  const fixture = withPlayground()
  const { add, open, visit } = fixture

  describe('from the run log', () => {
    const call = async (capture: 'off' | 'redacted' | 'full', body: Record<string, unknown>) => {
      await fixture.console.server.client().settings.update({ body: { capture } })
      const reply = await fixture.console.server.call('POST /api/playground/run', {
        body: { provider: 'mock', ...body },
      })
      expect(reply.status).toBe(200)
      return reply.body.run.id as number
    }

    it('opens the exact captured input, and runs it again', async () => {
      const id = await call('full', {
        content: 'Hi {{who}}, mind {{{who}}}',
        variables: { who: 'world' },
        model: 'mock-large',
        params: { temperature: 0.2, stop: ['\n\n'] },
        messages: [{ role: 'system', content: 'Be kind' }],
        tools: [{ name: 'find_order', parameters: { type: 'object' } }],
      })
      const { page, playground, close } = await open(`?run=${id}`)
      await playground.origin.getByText(`Opened from run ${id}.`).waitFor()
      expect(new URL(page.url()).search).toBe('')
      expect(await playground.text.innerText()).toBe('Hi world, mind {world}')
      expect(await playground.column(1).model.inputValue()).toBe('mock-large')
      await playground.section('Previous messages').click()
      expect(await playground.side.getByLabel('Text of message 1').inputValue()).toBe('Be kind')
      await playground.section('Tools').click()
      await playground.side.getByText('"find_order"').waitFor()
      await playground.column(1).set({ Temperature: '0.3' })
      await playground.runAll.click()
      await playground.column(1).ended('done')
      const again = (await playground.column(1).runLink.innerText()).replace('Run ', '')
      const [first, second] = await Promise.all(
        [id, again].map(
          async (runId) => (await fixture.console.server.call(`GET /api/runs/${runId}`)).body.data,
        ),
      )
      expect(second.input).toEqual(first.input)
      expect(second.params).toEqual({ ...first.params, temperature: 0.3 })
      await close()
    })

    it('asks for the values that a redacted input lacks', async () => {
      const id = await call('redacted', { content: 'Hi {{who}}', variables: { who: 'somebody known' } })
      const { playground, close } = await open(`?run=${id}`)
      await playground.origin.getByText('The values of the variables were not captured').waitFor()
      expect(await playground.text.innerText()).toBe('Hi {{who}}')
      expect(await playground.value('who').inputValue()).toBe('')
      await close()
    })

    it('opens prompt, version and model and explains why the input is missing', async () => {
      const prompt = await add()
      await fixture.console.server
        .client()
        .prompts.update({ params: { id: prompt.id }, body: { content: 'Later' } })
      const id = await call('off', { id: prompt.id, version: 'v1', variables: { name: 'Ada' } })
      const { page, playground, close } = await visit()
      await openPath(page, `/runs/${id}`)
      await page.getByTestId('drawer').getByRole('link', { name: 'Open in Playground' }).click()
      await playground.origin.getByText('The input was not captured.').waitFor()
      await eventually(() => playground.text.innerText()).toBe('Hello {{name}}')
      expect(await playground.version.inputValue()).toBe('v1')
      await close()
    })

    it('opens the prompt that was chosen last, even if an earlier one loads later', async () => {
      const [slow, fast] = [await add({ content: 'Slow' }), await add({ content: 'Fast' })]
      const { page, playground, close } = await open()
      const { release } = await holdRequests(page, `**/api/prompts/${slow.id}`)
      const reply = page.waitForResponse(`**/api/prompts/${slow.id}`)
      for (const { key } of [slow, fast]) {
        await playground.picker.fill(key)
        await page.getByRole('option', { name: key }).click()
      }
      await eventually(() => playground.text.innerText()).toBe('Fast')
      release()
      await reply
      await playground.write('Typed')
      await waitUntilStored(page, /"Typed"/)
      expect(await playground.picker.inputValue()).toBe(fast.key)
      await close()
    })

    it('reports a missing run, and keeps the current content', async () => {
      const { page, playground, close } = await open()
      await playground.write('mine')
      await eventually(() => playground.text.innerText()).toBe('mine')
      await waitUntilStored(page, /"mine"/)
      await page.goto('/playground?run=999999')
      await page.getByTestId('error').waitFor()
      await page.getByRole('link', { name: 'Back to the Playground' }).click()
      await eventually(() => playground.text.innerText()).toBe('mine')
      await close()
    })
  })

  it('opens a version of a prompt from its page', async () => {
    const prompt = await add()
    await fixture.console.server
      .client()
      .prompts.update({ params: { id: prompt.id }, body: { content: 'Draft {{name}}' } })
    const { page, playground, close } = await visit()
    await openPath(page, `/prompts/${prompt.id}`)
    await page.locator('main').getByRole('link', { name: 'Playground', exact: true }).click()
    await eventually(() => playground.text.innerText()).toBe('Draft {{name}}')
    expect(await playground.version.inputValue()).toBe('draft')
    await followPath(page, `/prompts/${prompt.id}?tab=versions`)
    await page.getByRole('link', { name: 'Try v1 in the Playground' }).click()
    await eventually(() => playground.text.innerText()).toBe('Hello {{name}}')
    await close()
  })

  it('accepts a schema and tools as JSON, reports errors in them, and checks the output', async () => {
    const { playground, close } = await open()
    await playground.write('Anything')
    await playground.section('JSON output').click()
    const schema = playground.json('JSON Schema of the response')
    await playground.write('{"type": "object", ', schema)
    await playground.side.getByText('Not valid JSON:').waitFor()
    await playground.write('{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}', schema)
    await playground.side.getByText('Not valid JSON:').waitFor({ state: 'detached' })
    await playground.runAll.click()
    const column = playground.column(1)
    await column.ended('done')
    await column.card.getByText('Matches the schema', { exact: true }).waitFor()
    await playground.write('', schema)
    await playground.section('Tools').click()
    const tools = playground.json('Tools as JSON')
    await playground.write('[{"name": "not a name", "parameters": {}}]', tools)
    await playground.side.getByText('0.name: Letters, digits').waitFor()
    await playground.write('[{"name":"find_order","parameters":{"type":"object"}}]', tools)
    await column.set({ 'Tool choice': 'required' })
    await playground.runAll.click()
    await column.card.getByText('1 tool call, not executed').waitFor()
    await column.card.getByText('find_order', { exact: true }).waitFor()
    await close()
  })

  it('stays usable while the check of a schema does not end', async () => {
    const { playground, close } = await open()
    await playground.write('Anything')
    await playground.section('JSON output').click()
    const text = `${'a'.repeat(60)}!`
    const a = { type: 'string', default: text, pattern: '^(a+)+$' }
    const schema = JSON.stringify({ type: 'object', properties: { a }, required: ['a'] })
    await playground.write(schema, playground.json('JSON Schema of the response'))
    await playground.runAll.click()
    const column = playground.column(1)
    await column.ended('done')
    await playground.write('Typed meanwhile')
    await column.card.getByText('Validation took longer than 2 seconds and was stopped.').waitFor()
    await close()
  })
})
