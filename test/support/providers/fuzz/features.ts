// Turns with features of the providers that generated talks do not have: server tools, media, thoughts, approvals, citations. Each is valid in the
// types of its client and begins with the user, so that it may follow any conversation. `n` keeps ids apart.

import type { FormatName } from '../../../../src/formats/index.js'
import type { Keyed } from '../violations.js'

type Feature = (n: number) => readonly Keyed[]

const PNG = 'iVBORw0KGgo='
const PDF = 'JVBERi0xLjQK'
const ASK = 'What is new?'

const asked = (...content: readonly Keyed[]): Keyed => ({ role: 'user', content })
const said = (...content: readonly Keyed[]): Keyed => ({ role: 'assistant', content })
const text = (words: string): Keyed => ({ type: 'text', text: words })

const CLAUDE: readonly Feature[] = [
  (n) => [
    asked(text(ASK)),
    said(
      { type: 'thinking', thinking: 'Search.', signature: 'c2ln' },
      { type: 'server_tool_use', id: `srvtoolu_s${n}`, name: 'web_search', input: { query: 'news' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: `srvtoolu_s${n}`,
        content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'eA==' }],
      },
      {
        type: 'text',
        text: 'Rain.',
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a.example',
            title: 'A',
            cited_text: 'rain',
            encrypted_index: 'eA==',
          },
        ],
      },
    ),
  ],
  (n) => [
    asked(text(ASK)),
    said(
      { type: 'server_tool_use', id: `srvtoolu_f${n}`, name: 'web_fetch', input: { url: 'https://a.example' } },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: `srvtoolu_f${n}`,
        content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
      },
      { type: 'server_tool_use', id: `srvtoolu_c${n}`, name: 'bash_code_execution', input: { command: 'ls' } },
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: `srvtoolu_c${n}`,
        content: { type: 'bash_code_execution_result', stdout: 'a', stderr: '', return_code: 0, content: [] },
      },
      text('Done.'),
    ),
  ],
  (n) => [
    asked(
      text('Read.'),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'A' },
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'words' },
        citations: { enabled: true },
      },
      { type: 'search_result', source: 'a', title: 'A', content: [text('found')] },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ),
    said({ type: 'redacted_thinking', data: 'eA==' }, text('I see.'), {
      type: 'tool_use',
      id: `toolu_d${n}`,
      name: 'shoot',
      input: {},
    }),
    asked({
      type: 'tool_result',
      tool_use_id: `toolu_d${n}`,
      content: [text('here'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
    }),
  ],
  (n) => [
    asked(text(ASK)),
    said(
      { type: 'mcp_tool_use', id: `mcptoolu_m${n}`, name: 'echo', server_name: 'tools', input: { a: 1 } },
      { type: 'mcp_tool_result', tool_use_id: `mcptoolu_m${n}`, is_error: false, content: [text('a')] },
      text('Said.'),
    ),
  ],
  // A turn that the server paused.
  (n) => [
    asked(text(ASK)),
    said(text('Wait.'), { type: 'server_tool_use', id: `srvtoolu_p${n}`, name: 'web_search', input: { query: 'x' } }),
  ],
  // Code of the server that waits for the result of its call.
  (n) => [
    asked(text(ASK)),
    said(
      { type: 'server_tool_use', id: `srvtoolu_w${n}`, name: 'code_execution', input: { code: 'look()' } },
      {
        type: 'tool_use',
        id: `toolu_w${n}`,
        name: 'look_up',
        input: { q: 1 },
        caller: { type: 'code_execution_20260120', tool_id: `srvtoolu_w${n}` },
      },
    ),
    asked({ type: 'tool_result', tool_use_id: `toolu_w${n}`, content: 'seen' }),
  ],
  () => [asked(text(ASK)), said({ type: 'compaction', content: 'They said hello.' }, text('Go on.'))],
  (n) => [
    asked(text(ASK), { type: 'container_upload', file_id: 'file_1' }),
    { role: 'system', content: [text('It is noon.')], clear_at: 'next_user_message' },
    said(
      {
        type: 'mcp_tool_listing',
        mcp_server_name: 'tools',
        tools: [{ name: 'echo', input_schema: { type: 'object' } }],
      },
      { type: 'server_tool_use', id: `srvtoolu_t${n}`, name: 'tool_search_tool_regex', input: { query: 'look' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: `srvtoolu_t${n}`,
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'look_up' }],
        },
      },
      { type: 'tool_use', id: `toolu_q${n}`, name: 'look_up', input: {}, caller: { type: 'direct' } },
    ),
    asked({
      type: 'tool_result',
      tool_use_id: `toolu_q${n}`,
      is_error: true,
      content: [
        { type: 'tool_reference', tool_name: 'look_up' },
        { type: 'search_result', source: 'a', title: 'A', content: [text('found')] },
        { type: 'document', source: { type: 'content', content: [text('words')] }, context: 'of Ann' },
      ],
    }),
  ],
  (n) => [
    asked(text(ASK)),
    {
      role: 'system',
      content: [text('Use it.'), { type: 'tool_addition', tool: { type: 'tool_reference', name: 'look_up' } }],
    },
    said(
      text('Half'),
      { type: 'fallback', from: { model: 'claude-fable-5-1' }, to: { model: 'claude-opus-5' } },
      { type: 'server_tool_use', id: `srvtoolu_a${n}`, name: 'advisor', input: {} },
      { type: 'advisor_tool_result', tool_use_id: `srvtoolu_a${n}`, content: { type: 'advisor_result', text: 'Go.' } },
      { type: 'server_tool_use', id: `srvtoolu_e${n}`, name: 'text_editor_code_execution', input: { command: 'view' } },
      {
        type: 'text_editor_code_execution_tool_result',
        tool_use_id: `srvtoolu_e${n}`,
        content: { type: 'text_editor_code_execution_view_result', content: 'a', file_type: 'text' },
      },
      text('Done.'),
    ),
  ],
]

const chatCall = (n: number): Keyed => ({
  id: `call_x${n}`,
  type: 'function',
  function: { name: 'look_up', arguments: '{"q":1}' },
})

const CHAT: readonly Feature[] = [
  (n) => [
    asked(
      text('See.'),
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ),
    { role: 'assistant', content: null, tool_calls: [chatCall(n), { ...chatCall(n), id: `call_y${n}` }] },
    { role: 'tool', tool_call_id: `call_x${n}`, content: [text('found')] },
    { role: 'tool', tool_call_id: `call_y${n}`, content: 'found' },
    { role: 'assistant', content: null, refusal: 'No.' },
  ],
  (n) => [
    { role: 'user', content: ASK, name: 'Ann' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `call_c${n}`, type: 'custom', custom: { name: 'run', input: 'ls' } }],
    },
    { role: 'tool', tool_call_id: `call_c${n}`, content: 'a' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }], name: 'Bob' },
  ],
  (n) => [
    { role: 'user', content: ASK },
    { role: 'assistant', content: null, audio: { id: `audio_${n}` } },
    { role: 'developer', content: [text('In French.')] },
    { role: 'user', content: 'And?' },
    { role: 'assistant', content: null, function_call: { name: 'look_up', arguments: '{}' } },
    { role: 'function', name: 'look_up', content: 'found' },
  ],
]

const words = (role: string, given: string): Keyed => ({ role, content: [{ type: 'input_text', text: given }] })
const answer = (n: number, id: string): Keyed => ({
  type: 'message',
  id: `msg_${id}${n}`,
  role: 'assistant',
  status: 'completed',
  content: [
    {
      type: 'output_text',
      text: 'Rain.',
      annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 4 }],
    },
  ],
})
const thought = (n: number, id: string): Keyed => ({
  type: 'reasoning',
  id: `rs_${id}${n}`,
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  ...(n % 2 === 0 ? { encrypted_content: 'eA==' } : {}),
})

const RESPONSES: readonly Feature[] = [
  (n) => [
    words('user', ASK),
    thought(n, 'w'),
    {
      type: 'web_search_call',
      id: `ws_w${n}`,
      status: 'completed',
      action: { type: 'search', query: 'news', queries: ['news'] },
    },
    answer(n, 'w'),
  ],
  (n) => [
    words('user', ASK),
    thought(n, 'f'),
    {
      type: 'file_search_call',
      id: `fs_f${n}`,
      status: 'completed',
      queries: ['a'],
      results: [{ file_id: 'file_1', filename: 'a.txt', score: 0.5, text: 'found' }],
    },
    {
      type: 'code_interpreter_call',
      id: `ci_f${n}`,
      status: 'completed',
      code: '1+1',
      container_id: 'cntr_1',
      outputs: n % 2 === 0 ? [{ type: 'logs', logs: '2' }] : null,
    },
    answer(n, 'f'),
  ],
  (n) => [
    words('user', ASK),
    {
      type: 'mcp_list_tools',
      id: `mcpl_m${n}`,
      server_label: 'tools',
      tools: [{ name: 'echo', input_schema: { type: 'object' } }],
    },
    { type: 'mcp_approval_request', id: `mcpr_m${n}`, server_label: 'tools', name: 'echo', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: `mcpr_m${n}`, approve: true },
    {
      type: 'mcp_call',
      id: `mcp_m${n}`,
      server_label: 'tools',
      name: 'echo',
      arguments: '{}',
      output: 'said',
      approval_request_id: `mcpr_m${n}`,
    },
    answer(n, 'm'),
  ],
  (n) => [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'See.' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      ],
    },
    thought(n, 'c'),
    { type: 'custom_tool_call', id: `ctc_c${n}`, call_id: `call_c${n}`, name: 'run', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: `call_c${n}`, output: 'a' },
    { type: 'image_generation_call', id: `ig_c${n}`, status: 'completed', result: PNG },
  ],
  (n) => [
    words('user', 'Run.'),
    thought(n, 's'),
    {
      type: 'computer_call',
      id: `cu_s${n}`,
      call_id: `call_s${n}`,
      status: 'completed',
      pending_safety_checks: [],
      action: { type: 'screenshot' },
    },
    {
      type: 'computer_call_output',
      call_id: `call_s${n}`,
      output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${PNG}` },
    },
    {
      type: 'shell_call',
      id: `sh_s${n}`,
      call_id: `call_h${n}`,
      status: 'completed',
      action: { commands: ['ls'], timeout_ms: 10, max_output_length: 10 },
    },
    {
      type: 'shell_call_output',
      call_id: `call_h${n}`,
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    answer(n, 's'),
  ],
  (n) => [
    words('user', 'Patch.'),
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'computer' }] },
    thought(n, 'a'),
    {
      type: 'apply_patch_call',
      id: `apc_a${n}`,
      call_id: `call_a${n}`,
      status: 'completed',
      operation: { type: 'update_file', path: 'a.ts', diff: '+a' },
    },
    { type: 'apply_patch_call_output', call_id: `call_a${n}`, status: 'completed', output: 'ok' },
    {
      type: 'local_shell_call',
      id: `lsh_a${n}`,
      call_id: `call_l${n}`,
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: { A: 'b' } },
    },
    { type: 'local_shell_call_output', id: `call_l${n}`, output: 'a' },
    answer(n, 'a'),
  ],
  (n) => [
    words('user', ASK),
    thought(n, 'p'),
    { type: 'tool_search_call', id: `tsc_p${n}`, execution: 'server', arguments: { q: 'a' }, status: 'completed' },
    {
      type: 'tool_search_output',
      id: `tso_p${n}`,
      execution: 'server',
      tools: [{ type: 'computer' }],
      status: 'completed',
    },
    { type: 'program', id: `prog_p${n}`, call_id: `call_p${n}`, code: 'look()', fingerprint: 'f' },
    {
      type: 'function_call',
      id: `fc_p${n}`,
      call_id: `call_q${n}`,
      name: 'look_up',
      arguments: '{}',
      caller: { type: 'program', caller_id: `call_p${n}` },
    },
    {
      type: 'function_call_output',
      call_id: `call_q${n}`,
      output: [{ type: 'input_text', text: 'seen' }],
      caller: { type: 'program', caller_id: `call_p${n}` },
    },
    { type: 'program_output', id: `po_p${n}`, call_id: `call_p${n}`, result: 'r', status: 'completed' },
    answer(n, 'p'),
  ],
  (n) => [
    words('user', ASK),
    {
      type: 'reasoning',
      id: `86c214aa-${n}`,
      summary: [],
      content: [{ type: 'reasoning_text', text: 'I need the tool.' }],
    },
    { type: 'function_call', call_id: `call_00_${n}`, name: 'look_up', arguments: '{"q":1}' },
    { type: 'function_call_output', call_id: `call_00_${n}`, output: 'found' },
  ],
  (n) => [words('user', ASK), { type: 'compaction', id: `cmp_${n}`, encrypted_content: 'eA==' }, answer(n, 'k')],
]

const GEMINI: readonly Feature[] = [
  () => [
    { role: 'user', parts: [{ text: 'Count.' }, { inlineData: { mimeType: 'application/pdf', data: PDF } }] },
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' },
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { text: 'One.', thoughtSignature: 'c2ln' },
      ],
    },
  ],
  (n) => [
    { role: 'user', parts: [{ text: ASK }] },
    {
      role: 'model',
      parts: [
        {
          toolCall: { id: `s${n}`, toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['a'] } },
          thoughtSignature: 'c2ln',
        },
        {
          toolResponse: { id: `s${n}`, toolType: 'GOOGLE_SEARCH_WEB', response: { found: 1 } },
          thoughtSignature: 'c2ln',
        },
        { functionCall: { id: `g${n}`, name: 'shoot', args: {} }, thoughtSignature: 'c2ln' },
        { functionCall: { id: `h${n}`, name: 'look_up', args: { q: 1 } } },
      ],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: `g${n}`,
            name: 'shoot',
            response: { output: 'here' },
            parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
          },
        },
        { functionResponse: { id: `h${n}`, name: 'look_up', response: { error: 'no' } } },
      ],
    },
  ],
]

const INTERACTIONS: readonly Feature[] = [
  (n) => [
    { type: 'user_input', content: [text('Count.'), { type: 'document', data: PDF, mime_type: 'application/pdf' }] },
    { type: 'thought', signature: 'c2ln', summary: [text('Hm.')] },
    {
      type: 'code_execution_call',
      id: `c${n}`,
      arguments: { language: 'python', code: 'print(1)' },
      signature: 'c2ln',
    },
    { type: 'code_execution_result', call_id: `c${n}`, result: '1', is_error: false, signature: 'c2ln' },
    { type: 'model_output', content: [text('One.')] },
  ],
  (n) => [
    { type: 'user_input', content: [text(ASK)] },
    { type: 'function_call', id: `f${n}`, name: 'shoot', arguments: {} },
    {
      type: 'function_result',
      call_id: `f${n}`,
      name: 'shoot',
      result: [text('here'), { type: 'image', data: PNG, mime_type: 'image/png' }],
    },
  ],
  (n) => [
    { type: 'user_input', content: [text(ASK)] },
    { type: 'google_search_call', id: `gs${n}`, arguments: { queries: ['news'] }, signature: 'c2ln' },
    { type: 'google_search_result', call_id: `gs${n}`, result: [{ search_suggestions: '<b>' }], signature: 'c2ln' },
    {
      type: 'mcp_server_tool_call',
      id: `ms${n}`,
      name: 'echo',
      server_name: 'tools',
      arguments: { a: 1 },
    },
    { type: 'mcp_server_tool_result', call_id: `ms${n}`, name: 'echo', server_name: 'tools', result: 'said' },
    { type: 'url_context_call', id: `uc${n}`, arguments: { urls: ['https://a.example'] } },
    { type: 'url_context_result', call_id: `uc${n}`, result: [{ url: 'https://a.example', status: 'success' }] },
    {
      type: 'model_output',
      content: [{ ...text('Rain.'), annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A' }] }],
    },
  ],
]

const BEDROCK: readonly Feature[] = [
  (n) => [
    asked(
      { text: 'Read.' },
      { document: { format: 'pdf', name: `a${n}`, source: { bytes: bytesOf(PDF) } } },
      { image: { format: 'png', source: { bytes: bytesOf(PNG) } } },
      { cachePoint: { type: 'default' } },
    ),
    said(
      { reasoningContent: { redactedContent: bytesOf('eA==') } },
      { text: 'I see.' },
      { toolUse: { toolUseId: `tooluse_${n}`, name: 'shoot', input: {} } },
    ),
    asked({
      toolResult: {
        toolUseId: `tooluse_${n}`,
        status: 'success',
        content: [{ text: 'here' }, { image: { format: 'png', source: { bytes: bytesOf(PNG) } } }],
      },
    }),
  ],
  () => [
    asked({ text: ASK }, { searchResult: { source: 'a', title: 'A', content: [{ text: 'rain' }] } }),
    said({ citationsContent: { content: [{ text: 'Rain.' }], citations: [{ title: 'A' }] } }),
  ],
]

const MISTRAL: readonly Feature[] = [
  (n) => [
    { role: 'user', content: ASK },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: `feature0${n % 10}`, type: 'function', function: { name: 'look_up', arguments: '{"q":1}' } }],
    },
    { role: 'tool', content: 'found', toolCallId: `feature0${n % 10}`, name: 'look_up' },
  ],
  () => [
    {
      role: 'user',
      content: [text('Read.'), { type: 'document_url', documentUrl: 'https://a.example/a.pdf', documentName: 'A' }],
    },
    {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: [text('Hm.')] }, text('Rain.'), { type: 'reference', referenceIds: [1] }],
    },
    { role: 'user', content: ASK },
  ],
]

const SDK: readonly Feature[] = [
  (n) => [
    asked(text(ASK), { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' }),
    said(
      { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'c2ln' } } },
      { type: 'tool-call', toolCallId: `p${n}`, toolName: 'web_search', input: { q: 1 }, providerExecuted: true },
      { type: 'tool-result', toolCallId: `p${n}`, toolName: 'web_search', output: { type: 'json', value: ['a'] } },
      { ...text('Rain.'), providerOptions: { openai: { itemId: `msg_${n}` } } },
    ),
  ],
  (n) => [
    asked(text(ASK)),
    said(
      { type: 'tool-call', toolCallId: `a${n}`, toolName: 'delete', input: {} },
      { type: 'tool-approval-request', approvalId: `ap${n}`, toolCallId: `a${n}` },
    ),
    {
      role: 'tool',
      content: [
        { type: 'tool-approval-response', approvalId: `ap${n}`, approved: true },
        {
          type: 'tool-result',
          toolCallId: `a${n}`,
          toolName: 'delete',
          output: { type: 'content', value: [text('gone'), { type: 'image-data', data: PNG, mediaType: 'image/png' }] },
        },
      ],
    },
  ],
  // A tool of the provider whose result comes in a later message.
  (n) => [
    asked(text(ASK), { type: 'image', image: PNG, mediaType: 'image/png' }),
    said(
      { type: 'tool-call', toolCallId: `d${n}`, toolName: 'code_execution', input: {}, providerExecuted: true },
      { type: 'tool-call', toolCallId: `e${n}`, toolName: 'look_up', input: { q: 1 } },
    ),
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: `e${n}`, toolName: 'look_up', output: { type: 'text', value: 'a' } },
      ],
    },
    said(
      {
        type: 'tool-result',
        toolCallId: `d${n}`,
        toolName: 'code_execution',
        output: { type: 'json', value: { a: 1 } },
      },
      { type: 'file', data: PNG, mediaType: 'image/png' },
      text('Done.'),
    ),
  ],
]

export const FEATURES: Readonly<Record<FormatName, readonly Feature[]>> = {
  anthropic: CLAUDE,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
  gemini: GEMINI,
  'gemini-interactions': INTERACTIONS,
  bedrock: BEDROCK,
  mistral: MISTRAL,
  'ai-sdk': SDK,
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
