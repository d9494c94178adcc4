// The tools, resources and prompts that the conformance runner of the protocol asks for, added to our server through `extend`.

import { type McpServer, ResourceTemplate, fromJsonSchema } from '@modelcontextprotocol/server'
import { z } from 'zod'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const text = (said: string) => ({ type: 'text' as const, text: said })
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' }
const resource = (uri: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: said },
})
const message = (content: ReturnType<typeof text> | typeof image | ReturnType<typeof resource>) => ({
  role: 'user' as const,
  content,
})

export function addFixtures(server: McpServer): void {
  server.server.registerCapabilities({ logging: {} })
  const plain = (
    name: string,
    content: readonly (ReturnType<typeof text> | typeof image | ReturnType<typeof resource> | typeof audio)[],
  ) => server.registerTool(name, { description: 'A fixture.' }, async () => ({ content: [...content] }))
  const audio = { type: 'audio' as const, data: SILENCE, mimeType: 'audio/wav' }
  plain('test_simple_text', [text('This is a simple text response for testing.')])
  plain('test_image_content', [image])
  plain('test_audio_content', [audio])
  plain('test_embedded_resource', [resource('test://embedded-resource', 'This is an embedded resource content.')])
  plain('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', '{"test":"data","value":123}'),
  ])
  server.registerTool('test_error_handling', { description: 'A fixture.' }, async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool('test_tool_with_logging', { description: 'A fixture.' }, async (ctx) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    }
    return { content: [text('Logged.')] }
  })
  server.registerTool('test_tool_with_progress', { description: 'A fixture.' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken!, progress, total: 100 },
      })
    }
    return { content: [text('Done.')] }
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'A fixture.',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
        if: { required: ['address'] },
        // A keyword of JSON Schema.
        // oxlint-disable-next-line unicorn/no-thenable
        then: { properties: { address: { required: ['city'] } } },
        else: { required: ['name'] },
        additionalProperties: false,
      }),
    },
    async () => ({ content: [text('Fine.')] }),
  )
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }))
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
  }))
  server.registerResource('watched', 'test://watched-resource', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Watched.' }],
  }))
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    async (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  )
  server.registerPrompt('test_simple_prompt', { description: 'A fixture.' }, async () => ({
    messages: [message(text('This is a simple prompt for testing.'))],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A fixture.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    async ({ arg1, arg2 }) => ({
      messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A fixture.', argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) => ({
      messages: [
        message(resource(resourceUri, 'Embedded resource content for testing.')),
        message(text('Process it.')),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A fixture.' }, async () => ({
    messages: [message(image), message(text('Please analyze the image above.'))],
  }))
}
