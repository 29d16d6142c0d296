/** What each type of event means. */
export const eventMeanings: Record<string, string> = {
  execution_start: 'The run begins. Always the first event.',
  turn_start: 'The agent asks its model. `iteration` counts from 1.',
  turn_complete: 'The model has responded: with an answer, or with calls of tools, which run next.',
  step_start: 'A step begins. `path` is its place: `2`, or `2.true.0` for the first step of a branch.',
  step_complete: 'A step ended. If `success` is false, `error` says why.',
  step_skip: 'A step did not run, because its condition `when` is false.',
  text_start: 'A text begins. Its pieces have the same `id`.',
  text_delta: 'The next piece of a text. Append it.',
  text_complete: 'The whole text. It replaces the pieces.',
  reasoning_start: 'The model begins to reason, if it shows that.',
  reasoning_delta: 'The next piece of its reasoning.',
  reasoning_complete: 'The whole reasoning.',
  tool_start: 'The model calls a tool.',
  tool_input_delta: 'The next piece of the arguments, as JSON text.',
  tool_input_complete: 'The whole arguments.',
  tool_output_delta: 'A piece of what a running tool prints.',
  tool_complete: 'A call ended. If `success` is false, the model learns the `error` and goes on.',
  artifact_start: 'An agent of another server begins a document.',
  artifact_delta: 'The next piece of it. Append it.',
  artifact_update: 'Its whole content. It replaces what came before.',
  artifact_complete: 'It is complete.',
  approval_start: 'A call needs an approval. Show it to a person, and send the decision to `approve`.',
  approval_complete: 'Somebody decided, or the time was over.',
  source: 'A page or document that the model used.',
  custom:
    'What a step `send-stream` of a flow sends. Of an agent: a message that the loop added (`reflection`, `required-tool`, `correction`), or `compaction`, the summary that replaces a long conversation.',
  warning:
    'Something went otherwise than asked, and did not fail ([codes](warnings.md)). Of a step, it comes before `step_complete`.',
  await: 'The run waits, and the stream ends. Continue it with `approve` or `resume`, or follow it later.',
  execution_complete: 'The run ended. Always the last event, unless it is `execution_error` or `await`.',
  execution_error: 'The run broke off, because of its time limit or of an internal error.',
  ping: 'Sent after 15 quiet seconds, so that proxies keep the connection. Ignore it.',
};

const executionId = 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn';
const turnId = 'turn_01k9m4v7d3x8qz5w2r6t0y1hbp';
const stepId = 'step_01k9m4v7d3x8qz5w2r6t0y1hbq';
const toolCallId = 'call_01k9m4v7d3x8qz5w2r6t0y1hbr';
const approvalId = 'appr_01k9m4v7d3x8qz5w2r6t0y1hbs';
const agentId = 'agent_01k9m4v7d3x8qz5w2r6t0y1hbt';
const at = '2026-11-25T08:00:00.000Z';
const text = { id: `text_${turnId}`, turnId };
const reasoning = { id: `reasoning_${turnId}`, turnId };
const artifact = { id: 'artifact_1', turnId };
const event = (type: string, seq: number, more: object) => ({ type, executionId, seq, ...more });

/** An example of each event, by the name of its schema. A test compares them with the schemas. */
export const eventExamples: Record<string, object> = {
  ExecutionStartEvent: event('execution_start', 0, {
    kind: 'agent',
    startedAt: at,
    agentId,
    agentName: 'Clock',
    maxTurns: 4,
  }),
  TurnStartEvent: event('turn_start', 1, { id: turnId, role: 'assistant', iteration: 1 }),
  TurnCompleteEvent: event('turn_complete', 10, {
    id: turnId,
    role: 'assistant',
    iteration: 1,
    content: '',
    tokens: { input: 57, output: 12, cachedInput: 0 },
    cost: '0.0000105',
    stopReason: 'tool_calls',
    completedAt: at,
  }),
  StepStartEvent: event('step_start', 1, {
    id: stepId,
    name: 'Hello',
    index: 0,
    path: '0',
    stepType: 'template',
    totalSteps: 1,
    startedAt: at,
  }),
  StepCompleteEvent: event('step_complete', 5, {
    id: stepId,
    name: 'Hello',
    index: 0,
    path: '0',
    success: true,
    result: 'Hello Ada',
    durationMs: 2,
  }),
  StepSkipEvent: event('step_skip', 6, {
    id: stepId,
    name: 'Thank',
    index: 1,
    path: '1',
    when: 'amount > 100',
    skippedAt: at,
  }),
  TextStartEvent: event('text_start', 13, { ...text, role: 'assistant' }),
  TextDeltaEvent: event('text_delta', 14, { ...text, delta: 'It is ' }),
  TextCompleteEvent: event('text_complete', 19, { ...text, text: 'It is Thursday in Tokyo.' }),
  ReasoningStartEvent: event('reasoning_start', 2, reasoning),
  ReasoningDeltaEvent: event('reasoning_delta', 3, { ...reasoning, delta: 'The user asks for ' }),
  ReasoningCompleteEvent: event('reasoning_complete', 4, {
    ...reasoning,
    text: 'The user asks for the day in Tokyo.',
  }),
  ToolStartEvent: event('tool_start', 5, { toolCallId, toolName: 'date-time', toolType: 'builtin', turnId }),
  ToolInputDeltaEvent: event('tool_input_delta', 6, { toolCallId, turnId, delta: '{"operat' }),
  ToolInputCompleteEvent: event('tool_input_complete', 9, {
    toolCallId,
    turnId,
    parameters: { operation: 'now', timezone: 'Asia/Tokyo' },
  }),
  ToolOutputDeltaEvent: event('tool_output_delta', 10, { toolCallId, turnId, delta: 'Reading page 2' }),
  ToolCompleteEvent: event('tool_complete', 11, {
    toolCallId,
    toolName: 'date-time',
    success: true,
    result: { weekday: 'Thursday' },
    executionTime: 1,
    turnId,
  }),
  ArtifactStartEvent: event('artifact_start', 12, {
    ...artifact,
    artifactType: 'markdown',
    title: 'Itinerary',
  }),
  ArtifactDeltaEvent: event('artifact_delta', 13, { ...artifact, delta: '# Day 1\n' }),
  ArtifactUpdateEvent: event('artifact_update', 14, { ...artifact, content: '# Day one\n' }),
  ArtifactCompleteEvent: event('artifact_complete', 15, artifact),
  ApprovalStartEvent: event('approval_start', 6, {
    approvalId,
    toolCallId,
    toolName: 'record-upsert',
    parameters: { type: 'airport', name: 'OSL' },
    timeout: 86_400_000,
  }),
  ApprovalCompleteEvent: event('approval_complete', 8, {
    approvalId,
    decision: 'approved',
    resolvedBy: 'user',
  }),
  SourceEvent: event('source', 15, {
    turnId,
    source: { id: 'source_1', title: 'Time in Japan', url: 'https://example.com/japan' },
  }),
  WarningEvent: event('warning', 3, {
    stepId,
    code: 'ANSWER_CUT',
    message: 'The answer of openai/gpt-5-mini was cut at its limit of output tokens; raise maxTokens',
    count: 1,
  }),
  CustomEvent: event('custom', 3, { stepId, name: 'progress', value: { percent: 40 } }),
  AwaitEvent: event('await', 7, {
    awaitReason: 'approval',
    awaitedAt: at,
    until: '2026-11-26T08:00:00.000Z',
    approvalId,
    toolCallId,
    toolName: 'record-upsert',
    parameters: { type: 'airport', name: 'OSL' },
  }),
  ExecutionCompleteEvent: event('execution_complete', 21, {
    kind: 'agent',
    success: true,
    finalOutput: 'It is Thursday in Tokyo.',
    iterations: 2,
    stopReason: 'end_turn',
    totalCost: '0.0000165',
    totalTokens: { input: 108, output: 18, cachedInput: 0 },
    durationMs: 1_430,
    completedAt: at,
  }),
  ExecutionErrorEvent: event('execution_error', 21, {
    kind: 'agent',
    error: { code: 'TIMEOUT', message: 'The run reached its time limit' },
  }),
  PingEvent: event('ping', 16, { timestamp: at }),
  SurfaceExecutionStartEvent: event('execution_start', 0, {
    kind: 'agent',
    startedAt: at,
    agentId,
    agentName: 'Clock',
  }),
  SurfaceAwaitEvent: event('await', 7, {
    awaitReason: 'wait',
    awaitedAt: at,
    until: '2026-11-26T08:00:00.000Z',
  }),
  SurfaceExecutionCompleteEvent: event('execution_complete', 21, {
    kind: 'agent',
    success: true,
    finalOutput: 'It is Thursday in Tokyo.',
    stopReason: 'end_turn',
    durationMs: 1_430,
    completedAt: at,
  }),
  ClientExecutionStartEvent: event('execution_start', 0, {
    kind: 'agent',
    startedAt: at,
    agentId,
    agentName: 'Parcels',
  }),
  ClientToolStartEvent: event('tool_start', 20, { toolCallId, toolName: 'add_to_cart', origin: 'webmcp' }),
  ClientToolCompleteEvent: event('tool_complete', 44, {
    toolCallId,
    toolName: 'add_to_cart',
    origin: 'webmcp',
    success: true,
    executionTime: 340,
  }),
  ClientApprovalStartEvent: event('approval_start', 24, {
    approvalId,
    toolCallId,
    toolName: 'cancel_order',
    parameters: { order: 4711 },
    timeout: 86_400_000,
  }),
  ClientApprovalCompleteEvent: event('approval_complete', 32, {
    approvalId,
    decision: 'approved',
    resolvedBy: 'user',
  }),
  ClientAwaitEvent: event('await', 28, {
    awaitReason: 'local_tool',
    awaitedAt: at,
    toolCallId,
    toolName: 'add_to_cart',
    origin: 'webmcp',
    parameters: { sku: 'A1' },
  }),
  ClientExecutionCompleteEvent: event('execution_complete', 36, {
    kind: 'agent',
    success: true,
    finalOutput: 'Your parcel arrives tomorrow.',
    stopReason: 'end_turn',
    durationMs: 55,
    completedAt: at,
  }),
  ClientExecutionErrorEvent: event('execution_error', 36, {
    kind: 'agent',
    error: { code: 'FAILED', message: 'The answer failed' },
  }),
};

export const webhookExample = {
  type: 'execution.completed',
  timestamp: at,
  data: {
    executionId,
    productId: 'product_01k9m4v7d3x8qz5w2r6t0y1hbv',
    surfaceId: 'surface_01k9m4v7d3x8qz5w2r6t0y1hbw',
    surfaceType: 'webhook',
    status: 'completed',
    output: 'Hello Grace',
    error: null,
  },
};
