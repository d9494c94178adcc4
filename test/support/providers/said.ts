// The parts of a request that every provider has a place for: texts, the names of tools that are called, pictures. Found by looking for
// it everywhere, so that one way of looking does for all formats.

import { isKeyed } from './violations.js'

/** The texts of the first request that the second lacks. */
export function lostOf(before: object, after: object): readonly string[] {
  const kept = allTexts(after).join('\n\n\n')
  return said(before).filter((text) => !kept.includes(text))
}

/** Only their own provider understands these. */
const OWN = [
  'thinking',
  'redacted_thinking',
  'reasoning',
  'compaction',
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_result',
  'advisor_tool_result',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'tool_addition',
  'video_url',
  'container_upload',
  'document',
  'file',
  'input_file',
  'search_result',
  'thought',
  'google_search_call',
  'google_search_result',
]
const OWN_KEYS = [
  'thought',
  'toolCall',
  'toolResponse',
  'executableCode',
  'codeExecutionResult',
  'executable_code',
  'code_execution_result',
]

function said(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') return SAYS.includes(key) && value.trim() !== '' ? [value.trim()] : []
  if (Array.isArray(value)) return value.flatMap((each) => said(each, key))
  if (!isKeyed(value)) return []
  if (OWN.includes(String(value['type'])) || OWN_KEYS.some((each) => (value[each] ?? false) !== false)) return []
  return Object.entries(value).flatMap(([name, each]) => said(each, name))
}

const SAYS = ['text', 'content', 'instructions', 'system', 'url', 'image_url']

function allTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(allTexts)
  return isKeyed(value) ? Object.values(value).flatMap(allTexts) : []
}
