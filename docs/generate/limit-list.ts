import { maximumLimits, readDefaultLimits } from '../../shared/platform/auth/rate-limit-windows.ts';
import type { ConstantName } from './constants.ts';

export interface Limit {
  what: string;
  /** Where the number is in the code; a number if it is exported, or follows from others. */
  constant: ConstantName | number;
  unit: 'bytes' | 'ms' | 's' | '' | string;
  /** What happens. */
  at: string;
  /** Default: only in the code, whose folder is then named. */
  change?: string;
}

const rates =
  '`RATE_LIMIT_PER_HOUR`, `RATE_LIMIT_PER_DAY` (on AWS `-c rateLimitPerHour`, `-c rateLimitPerDay`)';
const token = 'the client token';

/** The limits that a user or an operator can meet. Numbers of requests follow from their schemas, in the reference. */
export const limitGroups: { title: string; limits: Limit[] }[] = [
  {
    title: 'Requests',
    limits: [
      {
        what: 'JSON body, as Lambda counts it',
        constant: { name: 'requestBytesMax', in: '/body-sizes.ts' },
        unit: 'bytes',
        at: '413',
      },
      {
        what: 'Response, as Lambda counts it',
        constant: { name: 'responseBytesMax', in: '/body-sizes.ts' },
        unit: 'bytes',
        at: 'a list ends, and says how to continue; over 6 MB, 500 `RESPONSE_TOO_LARGE`',
      },
      { what: 'Streamed response', constant: 'streamedBytesMax', unit: 'bytes', at: 'the stream ends' },
      {
        what: 'Request line and headers',
        constant: { name: 'maxHeaderSize', in: '/body-sizes.ts' },
        unit: 'bytes',
        at: '431 of the gateway',
        change: 'a quota of API Gateway',
      },
      {
        what: 'Levels of a JSON body',
        constant: { name: 'levelsMax', in: '/json-body.ts' },
        unit: '',
        at: '400 `TOO_DEEP`',
      },
      {
        what: 'Values of a JSON body, those of its lists and objects included',
        constant: { name: 'valuesMax', in: '/value-count.ts' },
        unit: '',
        at: '400 `TOO_MANY_VALUES`',
      },
      {
        what: 'Values of an answer of an API, a model or a script as JSON',
        constant: 'answerValuesMax',
        unit: '',
        at: 'the step fails',
      },
      { what: 'Inputs of a run', constant: { name: 'inputsMax', in: 'dispatch/' }, unit: '', at: '400' },
      { what: '`expected` of feedback, as JSON', constant: 'expectedBytesMax', unit: 'bytes', at: '400' },
      { what: 'Entries of a page', constant: { name: 'limitMax', in: 'platform/data' }, unit: '', at: '400' },
      {
        what: 'Time until a quiet stream sends `ping`',
        constant: 'pingEveryMs',
        unit: 'ms',
        at: 'proxies keep the connection',
      },
    ],
  },
  {
    title: 'Rates',
    limits: [
      {
        what: 'Requests of an API key an hour',
        constant: readDefaultLimits().perHour,
        unit: '',
        at: '429',
        change: `${rates}; for one key \`rateLimits\``,
      },
      {
        what: 'Requests of an API key a day',
        constant: readDefaultLimits().perDay,
        unit: '',
        at: '429',
        change: 'the same',
      },
      {
        what: 'Highest limit of a key, an hour and a day',
        constant: maximumLimits.perHour,
        unit: '',
        at: '400',
        change: 'the code: `shared/platform/auth/`',
      },
      {
        what: 'Requests of the sessions of a user',
        constant: 'limitFactor',
        unit: 'times those of a key',
        at: '429',
        change: rates,
      },
      {
        what: 'Requests without a credential, from a network',
        constant: 'anonymousFactor',
        unit: 'times those of a key',
        at: '429',
        change: rates,
      },
      {
        what: 'Requests of a key of a surface a minute',
        constant: { name: 'perMinuteDefault', in: 'platform/auth' },
        unit: '',
        at: '429',
        change: 'the key of the surface',
      },
      {
        what: 'Runs of a tenant in front of callers, and readers of events, at a time',
        constant: 50,
        unit: '',
        at: '429',
        change: '`TENANT_OPEN_REQUESTS` (on AWS `-c openRequestsPerTenant`)',
      },
      {
        what: 'Emails and text messages of a tenant an hour, by recipient',
        constant: 500,
        unit: '',
        at: 'the step fails, and nothing is sent; emails of budgets come later',
        change: '`TENANT_MESSAGES_PER_HOUR` (on AWS `-c messagesPerHour`)',
      },
      {
        what: 'Of these, to addresses that have never answered an approval, and text messages',
        constant: 50,
        unit: '',
        at: 'the same',
        change: '`TENANT_STRANGERS_PER_HOUR` (on AWS `-c strangersPerHour`)',
      },
      {
        what: 'Records of a tenant that batches run at a time',
        constant: 'tenantSlots',
        unit: '',
        at: 'the others wait',
      },
      { what: 'Unfinished batches of a tenant', constant: 'tenantBatchesMax', unit: '', at: '429' },
    ],
  },
  { title: 'Tenants', limits: [] },
  {
    title: 'Records',
    limits: [
      {
        what: 'Metadata of a record, as JSON',
        constant: { name: 'metadataBytesMax', in: '/record.ts' },
        unit: 'bytes',
        at: '400 `TOO_LARGE`',
      },
      {
        what: 'Messages of a record, as JSON',
        constant: { name: 'messagesBytesMax', in: 'records' },
        unit: 'bytes',
        at: '400 `TOO_LARGE`',
      },
      {
        what: 'Levels of metadata',
        constant: { name: 'nestingLevelsMax', in: '/nesting.ts' },
        unit: '',
        at: '400',
      },
      { what: 'Rows of a CSV file', constant: 'csvRowsMax', unit: '', at: '400' },
      {
        what: 'Columns of a CSV file, with name and type',
        constant: { name: 'columnsMax', in: 'records' },
        unit: '',
        at: '400 `TOO_MANY_COLUMNS`',
      },
      { what: 'Records of a bulk edit', constant: 'recordsPerEdit', unit: '', at: '400 `TOO_MANY_RECORDS`' },
      {
        what: 'Records of a bulk deletion',
        constant: { name: 'idsMax', in: 'records' },
        unit: '',
        at: '400',
      },
      { what: 'Conditions of a filter, with groups', constant: 'conditionsMax', unit: '', at: '400' },
      {
        what: 'Values in the lists of a filter',
        constant: { name: 'valuesMax', in: 'core/filters' },
        unit: '',
        at: '400',
      },
      {
        what: 'Columns of an export',
        constant: { name: 'keysMax', in: '/export-csv.ts' },
        unit: '',
        at: '400 `TOO_MANY_COLUMNS`: name the keys',
      },
    ],
  },
  {
    title: 'Flows',
    limits: [
      {
        what: 'Steps of a flow, with those inside of others',
        constant: { name: 'stepsMax', in: '/flow-steps.ts' },
        unit: '',
        at: '400 `TOO_MANY_STEPS`',
      },
      {
        what: 'Steps of a run, those of branches, items, passes and inner flows included',
        constant: { name: 'runStepsMax', in: '/engine.ts' },
        unit: '',
        at: 'the run fails',
      },
      {
        what: 'Levels of steps inside of steps',
        constant: 'nestedListsMax',
        unit: '',
        at: '400 `TOO_DEEP`',
      },
      {
        what: 'Items of a map',
        constant: { name: 'mapItemsMax', in: '/step-types/map.ts' },
        unit: '',
        at: 'the step fails: run the flow on records, or split the list',
      },
      {
        what: 'Body of a callback',
        constant: { name: 'bodyBytesMax', in: '/call-back.ts' },
        unit: 'bytes',
        at: '413',
      },
      {
        what: 'Values of an answer to an approval',
        constant: { name: 'valueBytesMax', in: '/answer-wait.ts' },
        unit: 'bytes',
        at: '413',
      },
      {
        what: 'Values of JSON in the steps of a flow',
        constant: { name: 'stepValuesMax', in: '/flow-steps.ts' },
        unit: '',
        at: '400 `TOO_MANY_VALUES`',
      },
      {
        what: 'Steps of a flow as JSON',
        constant: { name: 'contentBytesMax', in: '/content-size.ts' },
        unit: 'bytes',
        at: '400 `TOO_LARGE`',
      },
      {
        what: 'Secrets of a flow',
        constant: { name: 'secretsMax', in: '/flow-steps.ts' },
        unit: '',
        at: '400 `TOO_MANY_SECRETS`',
      },
      {
        what: 'Tools that the prompts of a flow define',
        constant: { name: 'toolsMax', in: '/flow-steps.ts' },
        unit: '',
        at: '400 `TOO_MANY_TOOLS`',
      },
      { what: 'Characters of a script', constant: 'scriptCharactersMax', unit: '', at: '400' },
      {
        what: 'Flows as tools inside of flows',
        constant: { name: 'levelsMax', in: '/nested-flows.ts' },
        unit: 'levels',
        at: 'the step fails',
      },
      {
        what: 'Flows as steps inside of flows',
        constant: { name: 'levelsMax', in: '/sub-flows.ts' },
        unit: 'levels',
        at: '400 `TOO_DEEP`, or the step fails',
      },
      {
        what: 'Flows that a flow runs as steps, with those that they run',
        constant: { name: 'flowsMax', in: '/sub-flows.ts' },
        unit: '',
        at: '400 `TOO_DEEP`, or the step fails',
      },
      {
        what: 'Steps of a run, with those of the flows that it runs as steps',
        constant: { name: 'stepsMax', in: '/sub-flows.ts' },
        unit: '',
        at: 'the step fails',
      },
      {
        what: 'Records whose batch the request waits for',
        constant: 'smallBatchMax',
        unit: '',
        at: '202: poll the status',
      },
      {
        what: 'Characters of a step’s output in lists (`outputPreview`)',
        constant: 'previewLength',
        unit: '',
        at: 'cut; the result has all',
      },
      { what: 'A wait of `wait-until`', constant: 'thirtyDays', unit: 'ms', at: '400, or the step fails' },
    ],
  },
  {
    title: 'Steps and tools',
    limits: [
      { what: 'Memory of a script', constant: 'memoryLimitBytes', unit: 'bytes', at: 'the step fails' },
      {
        what: 'Output of a script',
        constant: { name: 'scriptOutputMax', in: 'quickjs' },
        unit: 'characters',
        at: 'the step fails',
      },
      {
        what: 'Characters of a template',
        constant: { name: 'templateCharactersMax', in: 'templates' },
        unit: '',
        at: '400',
      },
      { what: 'Filling in a template', constant: 'fillMsMax', unit: 'ms', at: 'the step fails' },
      {
        what: 'A filled-in template',
        constant: 'filledCharactersMax',
        unit: 'characters',
        at: 'the step fails',
      },
      {
        what: 'A response of an API or a page, unless the step says otherwise',
        constant: 'bytesMaxUsual',
        unit: 'bytes',
        at: 'the step fails',
      },
      { what: 'Redirects of a request', constant: 'redirectsMax', unit: '', at: 'the step fails' },
      {
        what: 'A response of a model',
        constant: 'responseCharactersMax',
        unit: 'characters',
        at: 'the step fails',
      },
      {
        what: 'Retries of a model call',
        constant: { name: 'retriesMax', in: 'models' },
        unit: '',
        at: 'the step fails, or its fallback runs',
      },
      {
        what: 'Images and files of a prompt',
        constant: { name: 'filesMax', in: 'to-model-messages' },
        unit: '',
        at: 'the step fails',
      },
      { what: 'An image or file of a prompt', constant: 'fileBytesMax', unit: 'bytes', at: 'the step fails' },
      {
        what: 'All images and files of a prompt',
        constant: 'allBytesMax',
        unit: 'bytes',
        at: 'the step fails',
      },
      { what: 'A stored file', constant: 'assetBytesMax', unit: 'bytes', at: 'the step fails' },
      {
        what: 'Vectors that one step stores',
        constant: { name: 'vectorsMax', in: 'store-vector' },
        unit: '',
        at: 'the step fails',
      },
      {
        what: 'Collections of a tenant',
        constant: { name: 'indexesMax', in: 'vectors' },
        unit: '',
        at: 'the step fails',
      },
      { what: 'Memories of a profile', constant: 'memoriesMax', unit: '', at: 'the step fails' },
      {
        what: 'Recipients of an email',
        constant: { name: 'recipientsMax', in: '/send-email.ts' },
        unit: '',
        at: '400, or the step fails',
      },
      {
        what: 'Secrets of a tool',
        constant: { name: 'secretsMax', in: '/check-tool.ts' },
        unit: '',
        at: '400 `TOO_MANY_SECRETS`',
      },
      {
        what: 'Tools of an MCP server',
        constant: { name: 'toolsMax', in: '/session-tools.ts' },
        unit: '',
        at: 'further ones are ignored',
      },
    ],
  },
  {
    title: 'Agents',
    limits: [
      {
        what: 'Turns of a run',
        constant: 1,
        unit: '',
        at: '`stopReason` is `max_turns`',
        change: '`loopConfig.maxTurns`, up to 100',
      },
      {
        what: 'Tool calls of a run',
        constant: 'callsMaxDefault',
        unit: '',
        at: 'the model must answer without tools',
        change: '`tools.maxToolCalls`, up to 100',
      },
      {
        what: 'Cost of a run',
        constant: 0,
        unit: '(none)',
        at: '`stopReason` is `max_cost`',
        change: '`loopConfig.maxCost`',
      },
      {
        what: 'Time of a run in front of a caller',
        constant: 600,
        unit: 's',
        at: '`stopReason` is `timeout`',
        change: '`options.timeoutMs`, up to 14 minutes',
      },
      {
        what: 'Time of a run in the background',
        constant: 3_600,
        unit: 's',
        at: '`stopReason` is `timeout`',
        change: '`options.timeoutMs`, up to an hour',
      },
      {
        what: 'Time that a call waits for its approval',
        constant: 86_400,
        unit: 's',
        at: 'the call is denied',
        change: '`tools.approval.timeout`, up to a week',
      },
      {
        what: 'Tool calls at a time',
        constant: { name: 'atOnce', in: '/tool-calls.ts' },
        unit: '',
        at: 'the others wait',
      },
      {
        what: 'Result of a tool',
        constant: { name: 'outputCharactersMax', in: '/tool-calls.ts' },
        unit: 'characters',
        at: 'the model learns that it was too long',
      },
      {
        what: 'Capabilities of an agent',
        constant: 'capabilitiesMax',
        unit: '',
        at: '400 `LIMIT_REACHED`',
      },
      {
        what: 'Spans of a trace',
        constant: 'spansMax',
        unit: 'spans',
        at: '`truncated`; of a batch the slowest, failed and latest records stay',
      },
      {
        what: 'Executions of agents in a trace',
        constant: 'tracedAgentsMax',
        unit: 'executions',
        at: 'the others show no spans inside',
      },
      {
        what: 'Prompts and outputs of a trace',
        constant: 'traceContentBytesMax',
        unit: 'bytes',
        at: '`content.omitted`',
      },
      { what: 'Agents inside of agents', constant: 'agentLevelsMax', unit: 'levels', at: 'the call fails' },
      {
        what: 'Secrets of an agent',
        constant: { name: 'secretsMax', in: '/check-agent.ts' },
        unit: '',
        at: '400 `TOO_MANY_SECRETS`',
      },
    ],
  },
  {
    title: 'Products, schedules and webhooks',
    limits: [
      {
        what: 'Surfaces of a product',
        constant: 'surfacesMax',
        unit: '',
        at: '409 `LIMIT_REACHED`',
      },
      {
        what: 'Capabilities of a product',
        constant: 'productCapabilitiesMax',
        unit: '',
        at: '409 `LIMIT_REACHED`',
      },
      {
        what: 'Items of a surface',
        constant: { name: 'itemsMax', in: '/surface-items.ts' },
        unit: '',
        at: '409 `LIMIT_REACHED`',
      },
      {
        what: 'Keys of a surface',
        constant: { name: 'keysMax', in: '/surface-keys.ts' },
        unit: '',
        at: '409 `LIMIT_REACHED`',
      },
      { what: 'Schedules of a surface', constant: 'schedulesMax', unit: '', at: '409 `LIMIT_REACHED`' },
      {
        what: 'Records of a firing, or of a recompute, by a filter',
        constant: { name: 'recordsMax', in: 'execution/batches' },
        unit: '',
        at: 'the firing fails',
      },
      {
        what: 'Output in an outgoing webhook',
        constant: { name: 'outputBytesMax', in: 'deliveries' },
        unit: 'bytes',
        at: '`outputOmitted` is true',
      },
      {
        what: 'Age of a signed event',
        constant: 'toleranceDefaultSeconds',
        unit: 's',
        at: '401',
        change: '`inbound.signature` of the surface',
      },
      {
        what: 'Headers for a collector',
        constant: { name: 'headersMax', in: 'telemetry' },
        unit: '',
        at: '400',
      },
      {
        what: 'Value of a header for a collector',
        constant: { name: 'headerLengthMax', in: 'telemetry' },
        unit: 'characters',
        at: '400',
      },
      { what: 'Push notifications of an A2A task', constant: 'configsMax', unit: '', at: 'an error' },
    ],
  },
  {
    title: 'Chat',
    limits: [
      {
        what: 'Messages to a token a minute, and half of it for a network',
        constant: { name: 'rateLimitPerMinute', in: 'client-tokens/schemas.ts' },
        unit: '',
        at: '429',
        change: `\`rateLimitPerMinute\` of ${token}`,
      },
      {
        what: 'Messages to a token an hour, and half of it for a network',
        constant: { name: 'rateLimitPerHour', in: 'client-tokens/schemas.ts' },
        unit: '',
        at: '429',
        change: `\`rateLimitPerHour\` of ${token}`,
      },
      {
        what: 'Messages of a session',
        constant: { name: 'maxMessagesPerSession', in: 'client-tokens/schemas.ts' },
        unit: '',
        at: '429',
        change: `\`maxMessagesPerSession\` of ${token}`,
      },
      {
        what: 'Idle time of a session',
        constant: { name: 'sessionIdleTimeoutMinutes', in: 'client-tokens/schemas.ts' },
        unit: 'minutes',
        at: '401: open another',
        change: `\`sessionIdleTimeoutMinutes\` of ${token}`,
      },
      {
        what: 'Messages of a conversation that an agent reads',
        constant: { name: 'messagesMax', in: '/chat-history.ts' },
        unit: '',
        at: 'older ones are summarised',
      },
      {
        what: 'A message of a conversation',
        constant: 'messageBytesMax',
        unit: 'bytes',
        at: '400 `TOO_LARGE`',
      },
    ],
  },
  {
    title: 'Retention',
    limits: [
      {
        what: 'A run that waits for the output of a local tool',
        constant: { name: 'callerDays', in: 'runs' },
        unit: 'days',
        at: 'it ends as failed',
      },
      {
        what: 'Metrics of runs by hour',
        constant: 'hoursKeptDays',
        unit: 'days',
        at: '`GET /v1/run-metrics` shows zero runs',
      },
      {
        what: 'Metrics of runs by day',
        constant: 'daysKeptDays',
        unit: 'days',
        at: '`GET /v1/run-metrics` shows zero runs',
      },
      {
        what: 'Runs of tools, of models, of inline agents, and of inline flows without stored results',
        constant: 'listedSeconds',
        unit: 's',
        at: '404',
      },
      { what: 'Deliveries of webhooks', constant: 'deliveryDays', unit: 'days', at: '404' },
      { what: 'Runs of schedules', constant: 'firingDays', unit: 'days', at: 'they are no longer listed' },
      { what: 'Tasks of a2a surfaces', constant: 'taskDays', unit: 'days', at: '404' },
      { what: 'The audit log', constant: 'auditDays', unit: 'days', at: 'entries are no longer listed' },
      {
        what: 'A link to enter secrets',
        constant: { name: 'lifeMs', in: 'setup-link-tokens' },
        unit: 'ms',
        at: 'it is invalid',
      },
      {
        what: 'A deleted secret in Secrets Manager',
        constant: { name: 'recoveryDays', in: '/secret-vault.ts' },
        unit: 'days',
        at: 'it cannot be recovered',
      },
    ],
  },
];
