// Everything that the types of clients have and our tables leave out on purpose, with the reason. An address covers all below it, too.

/** @typedef {Readonly<Record<string, string>>} Reasons by address */

const other = 'the stop is other'
const repeated = 'repeats a param of the call'
const listed = 'no reply has it'
const dropped = 'only items of replies have it; it is left out when they come in'
const bytes = 'bytes and URLs are kept in a form of JSON (ai-sdk/file-data.ts)'
const derived = 'the client makes it of other keys'

/** @type {Readonly<Record<string, Readonly<Partial<Record<'part' | 'stop' | 'reply', Reasons>>>>>} */
export const DECIDED = {
  'openai-chat': {
    reply: all(repeated, 'metadata'),
  },
  'openai-responses': {
    part: {
      ...all(
        dropped,
        'apply_patch_call.created_by',
        'apply_patch_call_output.created_by',
        'compaction.created_by',
        'computer_call_output.created_by',
        'function_call_output.created_by',
        'shell_call.created_by',
        'shell_call_output.created_by',
        'tool_search_call.created_by',
        'tool_search_output.created_by',
      ),
      // With `status`, as a conversation lists it; a request has it without.
      ...all(listed, 'custom_tool_call_output'),
    },
    stop: {
      ...all(other, 'cancelled', 'failed', 'incomplete', 'steered'),
      ...all('a response in the background is received once it has ended', 'in_progress', 'queued'),
    },
    reply: {
      ...all(
        repeated,
        'background',
        'image',
        'instructions',
        'max_output_tokens',
        'max_tool_calls',
        'metadata',
        'parallel_tool_calls',
        'previous_response_id',
        'prompt',
        'prompt_cache_key',
        'prompt_cache_retention',
        'reasoning',
        'safety_identifier',
        'temperature',
        'text',
        'tool_choice',
        'tools',
        'top_logprobs',
        'top_p',
        'truncation',
        'user',
      ),
      ...all('attempts have their own times', 'completed_at', 'created_at'),
    },
  },
  gemini: {
    stop: all(
      other,
      'FINISH_REASON_UNSPECIFIED',
      'IMAGE_OTHER',
      'MALFORMED_FUNCTION_CALL',
      'MALFORMED_RESPONSE',
      'NO_IMAGE',
      'OTHER',
      'TOO_MANY_TOOL_CALLS',
      'UNEXPECTED_TOOL_CALL',
    ),
    reply: {
      ...all(
        derived,
        'automaticFunctionCallingHistory',
        'codeExecutionResult',
        'initialPromptTokenCount',
        'sdkHttpResponse',
      ),
      ...all('usageMetadata has it', 'tokenCount'),
      ...all('attempts have their own times', 'createTime'),
      ...all('probabilities of tokens are not kept', 'avgLogprobs', 'logprobsResult'),
    },
  },
  'gemini-interactions': {
    stop: {
      ...all(other, 'cancelled', 'failed'),
      ...all('an interaction that runs is refused', 'in_progress', 'queued'),
    },
    reply: {
      ...all(
        repeated,
        'agent_config',
        'cached_content',
        'environment',
        'generation_config',
        'input',
        'labels',
        'response_format',
        'response_mime_type',
        'response_modalities',
        'safety_settings',
        'system_instruction',
        'tools',
        'webhook_config',
      ),
      ...all(derived, 'output_audio', 'output_image', 'output_text', 'output_video'),
    },
  },
  mistral: {
    stop: all(other, 'error'),
  },
  bedrock: {
    part: all('models of Bedrock take objects only', 'toolUse.toolUse.input'),
    stop: all(other, 'malformed_model_output', 'malformed_tool_use'),
  },
  'ai-sdk': {
    part: all(bytes, 'file.data', 'image.image', 'reasoning-file.data', 'tool-result.output.content.value.file.data'),
    stop: all(other, 'error', 'other'),
  },
}

/**
 * @param {string} reason
 * @param {readonly string[]} addresses
 * @returns {Reasons}
 */
function all(reason, ...addresses) {
  return Object.fromEntries(addresses.map((address) => [address, reason]))
}
