// The contents of the npm package: the names of each entry, the files, the packages it brings along. Reads dist/,
// so `npm run build` comes first.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

import { rolldown } from 'rolldown'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'

import { readLinks } from '../support/markdown.js'
import { run, runNpm } from '../support/npm.js'
import { packageOf, parseSource, readImports, resolveRelative } from '../support/source.js'

/** The public names by subpath. A name that leaves this list, or changes, asks for a major version. */
const PUBLIC_NAMES: Readonly<Record<string, Readonly<{ values: readonly string[]; types: readonly string[] }>>> = {
  '.': {
    values: [
      'ERROR_CODES',
      'PactError',
      'canonicalJson',
      'formatSelector',
      'lintSelector',
      'normalizeSelector',
      'parseSelector',
      'sel',
      'compareSiblings',
      'oneLine',
      'contentHash',
      'applyOperations',
      'createContext',
      'exportChunks',
      'importSnapshot',
      'importSnapshotAsync',
      'lintPlacement',
      'replayOperations',
    ],
    types: [
      'AddHeader',
      'DeleteOptions',
      'ExplainedPlace',
      'Explanation',
      'ForgetReceipt',
      'InsertSpec',
      'Maker',
      'OdiMode',
      'Position',
      'Replacement',
      'ScheduleChanges',
      'Attempt',
      'AttemptError',
      'AttemptId',
      'AttemptInput',
      'AttemptRecord',
      'AttemptStatus',
      'AttemptUsage',
      'RequestBody',
      'RequestInput',
      'RequestOfOptions',
      'ResultOptions',
      'Due',
      'Comparison',
      'Condition',
      'Control',
      'Coordinate',
      'DepthScope',
      'Diagnostic',
      'FieldForm',
      'FieldTest',
      'Group',
      'LintOptions',
      'LintResult',
      'Literal',
      'NumberRange',
      'ParseOptions',
      'Selector',
      'SelectorScalar',
      'SelectorValue',
      'SelectOptions',
      'SnapshotsOptions',
      'Span',
      'Step',
      'Stop',
      'TimePoint',
      'TimePrefix',
      'Union',
      'BlockChange',
      'Cause',
      'ContentDiff',
      'ContentDiffSummary',
      'DetailedChange',
      'DetailedDiff',
      'Diff',
      'DiffBlock',
      'DiffCause',
      'DiffOptions',
      'DiffSide',
      'InferredMove',
      'Materialized',
      'OutlineLine',
      'OutlineOptions',
      'OutlineSpan',
      'OutlineStyle',
      'ParentChange',
      'PastCycle',
      'PlacementFinding',
      'PlacementOptions',
      'FirstDifference',
      'ParamsTokens',
      'Prefix',
      'PrefixOptions',
      'SourceEntry',
      'PatchOperation',
      'PlacedNode',
      'RangeDiffLatestResult',
      'RangeFault',
      'RangeLimits',
      'RangeOptions',
      'RangeResults',
      'SelectResult',
      'ThreadPlace',
      'TokenHunk',
      'ValueChange',
      'Changes',
      'Clock',
      'CommitListener',
      'ContentInput',
      'Context',
      'ContextOptions',
      'CountTokens',
      'CustomName',
      'Dialect',
      'ErrorCode',
      'ErrorDetails',
      'ForkOptions',
      'Header',
      'Hold',
      'IdRequest',
      'IdSource',
      'JsonObject',
      'JsonValue',
      'Lens',
      'Life',
      'LifeEvent',
      'ListOptions',
      'Node',
      'NodeSpec',
      'Operation',
      'PassedLimit',
      'PrunePolicy',
      'ResultsPolicy',
      'ShedNode',
      'PruneRule',
      'PrunedNode',
      'Receipt',
      'Received',
      'ReceivedCall',
      'ReceiveOptions',
      'RedactData',
      'Redacted',
      'RedactOptions',
      'Region',
      'Reported',
      'RoleHeader',
      'SiblingKey',
      'Snapshot',
      'SnapshotRef',
      'SystemRegion',
      'TokensBy',
      'TokensOptions',
      'TokenTable',
      'TokenTotal',
      'Breakpoint',
      'ThreadItem',
      'Tracer',
      'TracerAttributes',
      'TracerSpan',
      'TracerSpanOptions',
      'UnmetLimit',
      'Warning',
      'Zone',
    ],
  },
  './adapters': {
    values: [
      'defineAdapter',
      'callPart',
      'callRow',
      'keyedReader',
      'mediaRow',
      'otherRow',
      'resultRow',
      'textRow',
      'thoughtRow',
      'typedReader',
      'inOrder',
      'plainJson',
      'textOf',
      'usageOf',
      'elementSpec',
      'formOf',
      'messageSpec',
      'heldPart',
      'inputObject',
      'isBare',
      'sendNew',
      'toolName',
      'validName',
    ],
    types: [
      'AdapterDefinition',
      'AdapterOptions',
      'DefinedAdapter',
      'RequestOptions',
      'BlocksOptions',
      'MessageSpec',
      'PartHeader',
      'PartSpec',
      'Form',
      'CallPart',
      'CamePart',
      'From',
      'GonePart',
      'KnowsPart',
      'MediaPart',
      'Message',
      'OtherPart',
      'Output',
      'OutputPart',
      'Part',
      'PartBase',
      'Place',
      'ReadPart',
      'ReasoningPart',
      'ResultPart',
      'TextPart',
      'ThinkingOptions',
      'ThoughtFormat',
      'HeldFormat',
      'OnlyNewOptions',
      'PartOrigin',
      'PartReader',
      'PartRow',
      'ReadMedia',
      'PlainObject',
      'PlainValue',
      'Reply',
      'ReplyFacts',
      'ReplyOptions',
      'ReplyTable',
      'To',
      'UnknownOptions',
      'Usage',
      'Receive',
      'Repair',
      'RepairCode',
      'RequestFacts',
      'SourceEntry',
      'Changes',
      'Head',
      'RequestFormat',
      'Start',
      'OwnText',
      'RequestWriter',
      'Speaker',
      'Tie',
      'TieOf',
    ],
  },
  './ai-sdk': {
    values: [
      'contextMiddleware',
      'fromModelMessages',
      'fromUIMessages',
      'loadChat',
      'receiveModelMessages',
      'runOn',
      'saveChat',
      'toModelMessages',
      'toUIMessages',
    ],
    types: [
      'ModelCall',
      'ModelFile',
      'ModelJson',
      'ModelOptions',
      'ModelReply',
      'ModelResult',
      'ModelText',
      'AnyModelMessage',
      'CacheAt',
      'CacheMarks',
      'ChatStore',
      'ChatToSave',
      'UIMessageLike',
      'UIMessagesOptions',
      'SystemMessage',
      'CallParams',
      'ContextMiddleware',
      'ContextRun',
      'ModelConversation',
      'ModelMessageOptions',
      'ModelNames',
      'WrappedCall',
      'ModelPrompt',
      'PreparedStep',
      'ReplyOptions',
      'RunOptions',
      'StepToCome',
      'StepTold',
    ],
  },
  './anthropic': {
    values: ['fromAnthropic', 'leastCached', 'receiveAnthropic', 'sendNew', 'toAnthropic'],
    types: [
      'AnthropicDocument',
      'AnthropicImage',
      'AnthropicMark',
      'AnthropicReply',
      'AnthropicBlock',
      'AnthropicCache',
      'AnthropicConversation',
      'AnthropicMessage',
      'AnthropicOptions',
      'AnthropicRequest',
      'AnthropicText',
      'AutomaticCacheAt',
      'CacheAt',
      'CacheMarks',
      'ReplyOptions',
    ],
  },
  './bedrock': {
    values: ['fromBedrock', 'receiveBedrock', 'toBedrock'],
    types: [
      'BedrockDocument',
      'BedrockImage',
      'BedrockJson',
      'BedrockReply',
      'BedrockBlock',
      'BedrockConversation',
      'BedrockMessage',
      'BedrockOptions',
      'BedrockRequest',
      'ReplyOptions',
    ],
  },
  './mistral': {
    values: ['fromMistral', 'receiveMistral', 'toMistral'],
    types: [
      'MistralCall',
      'MistralChunk',
      'MistralReply',
      'MistralText',
      'MistralInput',
      'MistralMessage',
      'MistralOptions',
      'MistralRequest',
      'ReplyOptions',
    ],
  },
  './gemini': {
    values: [
      'fromGemini',
      'fromGeminiInteractions',
      'receiveGemini',
      'receiveGeminiInteractions',
      'sendNew',
      'toGemini',
      'toGeminiInteractions',
    ],
    types: [
      'GeminiBytes',
      'GeminiFile',
      'GeminiInteractionsReply',
      'GeminiPiece',
      'GeminiReply',
      'GeminiContent',
      'GeminiConversation',
      'GeminiInteractionsInput',
      'GeminiInteractionsOptions',
      'GeminiInteractionsRequest',
      'GeminiOptions',
      'GeminiPart',
      'GeminiRequest',
      'GeminiSdkRequest',
      'GeminiStep',
      'GeminiStepContent',
      'ReplyOptions',
    ],
  },
  './openai': {
    values: [
      'fromOpenAIChat',
      'fromOpenAIResponses',
      'receiveOpenAIChat',
      'receiveOpenAIResponses',
      'sendNew',
      'toOpenAIChat',
      'toOpenAIResponses',
    ],
    types: [
      'OpenAIChatReply',
      'OpenAIResponsesReply',
      'OpenAIChatCall',
      'OpenAIChatInput',
      'CacheAt',
      'CacheKey',
      'OpenAIChatMark',
      'OpenAIChatMessage',
      'OpenAIChatOptions',
      'OpenAIChatPart',
      'OpenAIChatRequest',
      'OpenAIChatText',
      'OpenAIResponsesInput',
      'OpenAIResponsesItem',
      'OpenAIResponsesOptions',
      'OpenAIResponsesPart',
      'OpenAIResponsesRequest',
      'Repair',
      'RepairCode',
      'ReplyOptions',
      'RequestFacts',
      'SourceEntry',
    ],
  },
  './claude-agent-sdk': {
    values: ['createSessionStore'],
    types: ['ClaudeSessionStore', 'SessionEntry', 'SessionKey', 'SessionStoreOptions', 'SessionSummary'],
  },
  './client': {
    values: ['Client', 'RemoteContext', 'createClient'],
    types: ['ClientOptions', 'Page'],
  },
  './langgraph': {
    values: ['PactMemory', 'PactSaver'],
    types: ['PactSaverOptions'],
  },
  './mcp': {
    values: ['createMcpServer'],
    types: ['McpOptions', 'PactMcpServer'],
  },
  './openai-agents': {
    values: ['createSession'],
    types: ['Compaction', 'CompactionInput', 'SessionOptions', 'StoreSession'],
  },
  './server': {
    values: ['createServer', 'inspect', 'openApi'],
    types: [
      'InspectOptions',
      'ListenOptions',
      'Listening',
      'LogEntry',
      'Server',
      'ServerLimits',
      'ServerOptions',
      'WorkLimits',
    ],
  },
  './store': {
    values: ['MemoryRows', 'Store', 'StoredContext', 'openCatalog', 'openStore'],
    types: [
      'Answer',
      'Arrived',
      'AttemptRow',
      'AuditRow',
      'Catalog',
      'CommitAnswer',
      'CommitOptions',
      'ContextInfo',
      'ContextKey',
      'ContextPage',
      'ContextRow',
      'ContextState',
      'DraftInfo',
      'DraftRow',
      'EraseOptions',
      'EraseReceipt',
      'Erasure',
      'FsckOptions',
      'FsckProgress',
      'FsckReport',
      'Keep',
      'LostContext',
      'ManifestRow',
      'MoveOptions',
      'MoveProgress',
      'MoveReceipt',
      'NewCommit',
      'NewContext',
      'NewSave',
      'OpenListOptions',
      'OpenOptions',
      'Pack',
      'PageRow',
      'Problem',
      'RebaseReport',
      'RetainOptions',
      'RetainProgress',
      'RetainReceipt',
      'Row',
      'Rows',
      'SavedDraft',
      'StoreEvent',
      'StoreOptions',
      'StoreWatch',
      'StoredForkOptions',
      'WatchOptions',
      'WatchedFrom',
    ],
  },
  './testing': {
    values: ['rowsContract', 'storeContract'],
    types: ['ContractCase', 'ContractOptions', 'Place'],
  },
  './tokens': {
    values: [
      'OVERHEADS',
      'calibrated',
      'cl100k',
      'createCounter',
      'createEstimate',
      'estimate',
      'o200k',
      'overheadFor',
      'readUsage',
    ],
    types: [
      'BytesPerToken',
      'Calibrated',
      'CalibratedOptions',
      'CountTokens',
      'CountedAttempt',
      'CounterOptions',
      'EstimateOptions',
      'ImageTokens',
      'Overhead',
      'Sample',
      'TextCounter',
      'TokenUsage',
    ],
  },
}

/** Entries that must load where there is no Node. */
const BROWSER_ENTRIES = ['.', './ai-sdk', './anthropic', './client', './gemini', './openai', './tokens']

/** The packages that an install brings along. Each is a decision. */
const DEPENDENCIES: Readonly<Record<string, string>> = {
  '@hono/node-server': 'the HTTP API on a socket of Node',
  '@noble/hashes': 'SHA-256 where there is no node:crypto, in a browser',
  hono: 'the routes of the HTTP API',
}

/** Drivers, provider SDKs and telemetry are optional peers; a user who needs one installs it. */
const NEVER_DEPENDENCIES =
  /^(pg|pg-.*|postgres|mysql2?|redis|ioredis|.*sqlite.*|openai|ai|@ai-sdk\/.*|@anthropic-ai\/.*|@google\/.*|@google-cloud\/.*|@langchain\/.*|langchain|@opentelemetry\/.*|@sentry\/.*|posthog.*|@segment\/.*|dd-trace|newrelic|applicationinsights)$/

const ROOT = path.resolve(import.meta.dirname, '../..')

type Manifest = Readonly<{
  exports: Readonly<Record<string, string | Readonly<{ types: string; default: string }>>>
  dependencies?: Readonly<Record<string, string>>
  devDependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  peerDependencies?: Readonly<Record<string, string>>
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
  scripts: Readonly<Record<string, string>>
  allowScripts: Readonly<Record<string, boolean>>
}>

const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest
const ENTRIES = Object.entries(MANIFEST.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [{ subpath, js: target.default, types: target.types }],
)

describe('the public names', () => {
  beforeAll(needDist)

  test('every subpath of package.json has its list', () => {
    expect(ENTRIES.map((entry) => entry.subpath).sort()).toEqual(Object.keys(PUBLIC_NAMES).sort())
  })

  test.each(ENTRIES)(
    '$subpath exports exactly the values of its list, and loads in plain Node',
    async ({ subpath, js }) => {
      const url = pathToFileURL(path.join(ROOT, js)).href
      const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(url)}))))`
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], ROOT)
      expect((JSON.parse(stdout) as string[]).sort()).toEqual([...(PUBLIC_NAMES[subpath]?.values ?? [])].sort())
    },
  )

  test.each(ENTRIES)('$subpath declares exactly the values and types of its list', ({ subpath, types }) => {
    const { values = [], types: typeNames = [] } = PUBLIC_NAMES[subpath] ?? {}
    expect(declaredNames(types)).toEqual([...values, ...typeNames].sort())
  })
})

describe('the packed package', () => {
  let files: readonly string[] = []
  let bytes = 0
  beforeAll(async () => {
    needDist()
    const { stdout } = await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], ROOT)
    const [packed] = JSON.parse(stdout) as readonly { size: number; files: readonly { path: string }[] }[]
    files = packed?.files.map((file) => file.path.replaceAll('\\', '/')) ?? []
    bytes = packed?.size ?? 0
  })

  test('is smaller than 1.5 MB', () => {
    expect(bytes).toBeGreaterThan(500_000)
    expect(bytes).toBeLessThan(1_500_000)
  })

  // The goal is 90 KB, which the engine does not reach (bench/history.md). This keeps it from growing.
  test('is smaller than 160 KB in a browser, gzipped, with nothing but the core', async () => {
    const bundle = await rolldown({ input: path.join(ROOT, 'dist/bundle/index.js'), platform: 'browser' })
    const { output } = await bundle.generate({ minify: true })
    const size = gzipSync(output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('')).length
    expect(size).toBeGreaterThan(50 * 1024)
    expect(size).toBeLessThan(160 * 1024)
  })

  test('holds the code with its types, the read-me and the licence', () => {
    const wanted = ['package.json', 'README.md', 'LICENSE', ...ENTRIES.flatMap((entry) => [entry.js, entry.types])]
    expect(wanted.map((file) => path.posix.normalize(file)).filter((file) => !files.includes(file))).toEqual([])
  })

  test('holds nothing else than the build and the documents: no sources, no tests, nothing from outside', () => {
    const known =
      /^(package\.json|README\.md|LICENSE|(?:CHANGELOG|SKILL)\.md|docs\/(guides\/)?[\w-]+\.md|dist\/bundle\/([\w-]+\.js|LICENSES\.txt)|dist\/offline\/page\.js\.br|dist\/[\w./-]+\.d\.ts|dist\/inspector\/(index\.html|assets\/[\w-]+\.(js|css)))$/
    const unwanted = /(^|\/)(test|tests|src|shared|bench|demo|node_modules|\.\.)\/|\.test\.|\.cases\./
    expect(files.filter((file) => !known.test(file) || unwanted.test(file))).toEqual([])
  })

  test('a link in a packed page leads to a packed file, to a picture, or to a file that the page says is in the repository', () => {
    const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    const lost = pages.flatMap((page) => {
      const text = fs.readFileSync(path.join(ROOT, page), 'utf8')
      const lines = text.split('\n')
      const repositoryOnly = lines.findIndex((line) => line.startsWith('In the repository only'))
      return readLinks(text).flatMap(({ target, line }) => {
        const [file = ''] = target.split('#')
        const isElsewhere = file === '' || /^[a-z]+:/.test(file) || file.endsWith('.png')
        if (isElsewhere || files.includes(path.posix.join(path.posix.dirname(page), file))) return []
        const isNamed = lines[line - 1]!.includes('in the repository') || (repositoryOnly >= 0 && line > repositoryOnly)
        return isNamed ? [] : [`${page}:${line}: ${target}`]
      })
    })
    expect(lost).toEqual([])
  })

  test('holds every file that the program pctx loads', () => {
    const reached = reachedFrom('dist/bundle/pctx.js').files
    expect(reached.filter((file) => !files.includes(file))).toEqual([])
    expect(reached).toContain('dist/bundle/serving.js')
  })

  test.each(BROWSER_ENTRIES)('%s reaches no node: module, so that it also runs in a browser', (subpath) => {
    const entry = ENTRIES.find((each) => each.subpath === subpath)
    expect(entry).toBeDefined()
    const reached = reachedFrom(path.posix.normalize(entry!.js))
    expect(reached.outside.filter(({ specifier }) => !(packageOf(specifier) in DEPENDENCIES))).toEqual([])
    expect(reached.files.length).toBeGreaterThan(1)
  })
})

describe('counting tokens without gpt-tokenizer', () => {
  let folder = ''
  beforeAll(() => {
    needDist()
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-tokens-'))
    fs.cpSync(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true })
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
    return () => fs.rmSync(folder, { recursive: true, force: true })
  })

  test('works by estimates; o200k says what to install, when it is asked and not before', async () => {
    const url = pathToFileURL(path.join(folder, 'dist/tokens/index.js')).href
    const script = `
      const { estimate, o200k } = await import(${JSON.stringify(url)})
      const told = [estimate('one two three')]
      try { o200k('x') } catch (error) { told.push(error.code, error.message) }
      console.log(JSON.stringify(told))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], folder)
    const message = 'o200k needs the package gpt-tokenizer; install it with: npm install gpt-tokenizer.'
    expect(JSON.parse(stdout)).toEqual([3, 'E_BUDGET', message])
  })
})

describe('what package.json asks for', () => {
  test('dependencies are those of the list', () => {
    expect(Object.keys(MANIFEST.dependencies ?? {})).toEqual(Object.keys(DEPENDENCIES))
  })

  test('dependencies hold no driver, provider SDK or telemetry', () => {
    expect(Object.keys(MANIFEST.dependencies ?? {}).filter((name) => NEVER_DEPENDENCIES.test(name))).toEqual([])
  })

  test('peers are optional', () => {
    const needed = Object.keys(MANIFEST.peerDependencies ?? {})
    expect(needed.filter((name) => MANIFEST.peerDependenciesMeta?.[name]?.optional !== true)).toEqual([])
  })

  test('versions are exact', () => {
    const { dependencies, devDependencies, optionalDependencies } = MANIFEST
    const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(all.filter(([, version]) => !/^(npm:[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  test('no script runs where the package is installed; before it is packed it is built', () => {
    const hooks = [
      'preinstall',
      'install',
      'postinstall',
      'prepare',
      'prepublish',
      'prepack',
      'postpack',
      'pretest',
      'prestart',
    ]
    // npm runs `prepublish` in a clone and before it packs a git dependency. `prepare` would do the same, but npm asks users of a packed file to approve it.
    expect(hooks.filter((name) => name in MANIFEST.scripts)).toEqual(['prepublish', 'prepack'])
  })

  test('no install script of a dependency is run in a clone, and npm does not ask about one', () => {
    const { packages } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { hasInstallScript?: boolean }>>
    }
    const asking = Object.keys(packages).filter((name) => name !== '' && packages[name]?.hasInstallScript === true)
    const denied = asking.map((name) => [name.replace(/^.*node_modules\//, ''), false] as const)
    expect(denied.length).toBeGreaterThan(0)
    expect(MANIFEST.allowScripts).toEqual(Object.fromEntries(denied))
  })
})

test('the scan for node: modules sees through files and re-exports', () => {
  const files: Record<string, string> = {
    'dist/index.js': `export { a } from './a/index.js'`,
    'dist/a/index.js': `import { hash } from 'node:crypto'\nimport { b } from './b.js'\nexport const a = () => import('pg')`,
    'dist/a/b.js': `// import 'node:fs'\nimport '../index.js'\nexport const b = "import 'node:os'"`,
  }
  expect(reachedFrom('dist/index.js', (file) => files[file]!)).toEqual({
    files: ['dist/index.js', 'dist/a/index.js', 'dist/a/b.js'],
    outside: [
      { file: 'dist/a/index.js', specifier: 'node:crypto' },
      { file: 'dist/a/index.js', specifier: 'pg' },
    ],
  })
})

/** Follows the relative imports from a built file; lists the files, and every import that leaves them. */
function reachedFrom(
  entry: string,
  read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8'),
): { files: readonly string[]; outside: readonly { file: string; specifier: string }[] } {
  const files = [entry]
  const outside: { file: string; specifier: string }[] = []
  for (const file of files) {
    for (const specifier of specifiersIn(file, read(file))) {
      const target = resolveRelative(file, specifier)
      if (!specifier.startsWith('.')) outside.push({ file, specifier })
      else if (!files.includes(target)) files.push(target)
    }
  }
  return { files, outside }
}

/** The imports of each file by its text: the files of the bundle are large, and the entries share them. */
const specifiers = new Map<string, readonly string[]>()

function specifiersIn(file: string, text: string): readonly string[] {
  const found = specifiers.get(text) ?? readImports(parseSource(file, text)).map(({ specifier }) => specifier)
  specifiers.set(text, found)
  return found
}

/** Lists what a declaration file exports by name, sorted. */
function declaredNames(file: string): readonly string[] {
  const source = parseSource(file, fs.readFileSync(path.join(ROOT, file), 'utf8'))
  const names = source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement
      if (exportClause === undefined) return [`* from ${statement.moduleSpecifier?.getText(source)}`]
      return ts.isNamedExports(exportClause)
        ? exportClause.elements.map((each) => each.name.text)
        : [exportClause.name.text]
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((each) => each.kind === ts.SyntaxKind.ExportKeyword)
    if (isExported !== true) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map((each) => each.name.getText(source))
    return [(statement as ts.DeclarationStatement).name?.getText(source) ?? 'default']
  })
  return [...new Set(names)].sort()
}

function needDist(): void {
  if (!fs.existsSync(path.join(ROOT, 'dist/index.js'))) throw new Error('dist/ is missing: run `npm run build` first.')
}
