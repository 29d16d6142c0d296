import { isDeepStrictEqual } from 'node:util';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { beforeAll, expect, test } from 'vitest';
import { allowActions } from '../../../infra/aws/conventions/statements.ts';
import { RegionStack } from '../../../infra/aws/region-stack.ts';
import { type AllowedStatement, grantsIn, shown } from './grants-in.ts';
import { synthesise } from './synthesise.ts';

let prod: Template;
let grants: AllowedStatement[];
beforeAll(() => {
  prod = synthesise('prod', { sesIdentities: 'example.com' });
  grants = grantsIn(prod);
}, 60_000);

/** Whether an action of a policy, which may hold wildcards, lets one do this. */
const lets = (pattern: string, action: string) =>
  new RegExp(`^${RegExp.escape(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, 'i').test(action);

/** AWS's own policies that roles of a template have. */
const managedByAws = (template: Template) =>
  Object.values(template.findResources('AWS::IAM::Role'))
    .flatMap(({ Properties }) => Properties.ManagedPolicyArns ?? [])
    .filter((arn) => arn.Ref === undefined)
    .map((arn) => shown(template, arn));

/** What a tenant calls it, or the construct that it belongs to. */
const secretOf = (arn: string) =>
  /^<?(?:\{"Ref":")?storesproviderkeys/.test(arn) ? 'provider keys' : arn.split(':secret:').at(-1);

const whoMay = (...actions: string[]) =>
  grants
    .filter((grant) => grant.actions.some((pattern) => actions.some((action) => lets(pattern, action))))
    .map(({ role, resources }) => [role, resources.map(secretOf)])
    .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));

test('only Lambdas that run flows or agents read credentials of agents, only those and the ones of surfaces secret values and signing secrets, and the one of telemetry, only key management and migrations read test keys; the lists of models, forecasts and flow validation read only the deployment’s provider keys', () => {
  expect(whoMay('secretsmanager:GetSecretValue', 'secretsmanager:BatchGetSecretValue')).toEqual([
    ['agent-runs', ['agent-flow/prod/*/agents/*']],
    ['agent-runs', ['agent-flow/prod/*/provider-keys/*']],
    ['agent-runs', ['agent-flow/prod/*/secrets/*']],
    ['agent-runs', ['provider keys']],
    ['api-keys', ['agent-flow/prod/*/api-keys/*']],
    // Forecasts know which models have keys.
    ['batches', ['provider keys']],
    ['client-chat', ['agent-flow/prod/*/agents/*']],
    ['client-chat', ['agent-flow/prod/*/provider-keys/*']],
    ['client-chat', ['agent-flow/prod/*/secrets/*']],
    ['client-chat', ['provider keys']],
    ['dispatch', ['agent-flow/prod/*/agents/*']],
    ['dispatch', ['agent-flow/prod/*/provider-keys/*']],
    ['dispatch', ['agent-flow/prod/*/secrets/*']],
    ['dispatch', ['provider keys']],
    ['flows', ['provider keys']],
    ['migrations', ['agent-flow/prod/*/api-keys/*']],
    ['model-configs', ['provider keys']],
    ['openai', ['agent-flow/prod/*/agents/*']],
    ['openai', ['agent-flow/prod/*/provider-keys/*']],
    ['openai', ['agent-flow/prod/*/secrets/*']],
    ['openai', ['provider keys']],
    ['public', ['provider keys']],
    ['surface-a2a', ['agent-flow/prod/*/agents/*']],
    ['surface-a2a', ['agent-flow/prod/*/provider-keys/*']],
    ['surface-a2a', ['agent-flow/prod/*/secrets/*']],
    ['surface-a2a', ['provider keys']],
    ['surface-mcp', ['agent-flow/prod/*/agents/*']],
    ['surface-mcp', ['agent-flow/prod/*/provider-keys/*']],
    ['surface-mcp', ['agent-flow/prod/*/secrets/*']],
    ['surface-mcp', ['provider keys']],
    ['surface-runs', ['agent-flow/prod/*/agents/*']],
    ['surface-runs', ['agent-flow/prod/*/provider-keys/*']],
    ['surface-runs', ['agent-flow/prod/*/secrets/*']],
    ['surface-runs', ['provider keys']],
    ['surface-webhooks', ['agent-flow/prod/*/secrets/*']],
    ['surface-webhooks', ['agent-flow/prod/*/surfaces/*']],
    // They check that a secret can sign an agent card.
    ['surfaces', ['agent-flow/prod/*/secrets/*']],
    ['surfaces', ['agent-flow/prod/*/surfaces/*']],
    // It tests headers that name secrets.
    ['telemetry', ['agent-flow/prod/*/secrets/*']],
    ['tool-runs', ['agent-flow/prod/*/agents/*']],
    ['tool-runs', ['agent-flow/prod/*/provider-keys/*']],
    ['tool-runs', ['agent-flow/prod/*/secrets/*']],
    ['tool-runs', ['provider keys']],
    ['workers', ['agent-flow/prod/*/agents/*']],
    ['workers', ['agent-flow/prod/*/provider-keys/*']],
    ['workers', ['agent-flow/prod/*/secrets/*']],
    ['workers', ['agent-flow/prod/*/surfaces/*']],
    ['workers', ['provider keys']],
    // Applying a document calls the operations of its kinds, such as those of surfaces and model configs.
    ['workspace', ['agent-flow/prod/*/secrets/*']],
    ['workspace', ['agent-flow/prod/*/surfaces/*']],
    ['workspace', ['provider keys']],
  ]);
});

test('only the agent, secret, provider-key, surface, workspace and API-key endpoints, migrations and the clean-up write secret values, each only its own', () => {
  const writing = ['CreateSecret', 'PutSecretValue', 'UpdateSecret', 'DeleteSecret', 'RestoreSecret'];
  expect(whoMay(...writing.map((action) => `secretsmanager:${action}`))).toEqual([
    ['agents', ['agent-flow/prod/*/agents/*']],
    ['api-keys', ['agent-flow/prod/*/api-keys/*']],
    ['migrations', ['agent-flow/prod/*/api-keys/*']],
    ['migrations', ['agent-flow/prod/*/api-keys/*']],
    ['provider-keys', ['agent-flow/prod/*/provider-keys/*']],
    ['secrets', ['agent-flow/prod/*/secrets/*']],
    ['surfaces', ['agent-flow/prod/*/surfaces/*']],
    ['surfaces', ['agent-flow/prod/*/surfaces/*']],
    // Deletes those of deleted surfaces, and nothing else.
    ['workers', ['agent-flow/prod/*/surfaces/*']],
    ['workspace', ['agent-flow/prod/*/agents/*']],
    ['workspace', ['agent-flow/prod/*/surfaces/*']],
    ['workspace', ['agent-flow/prod/*/surfaces/*']],
  ]);
  expect(whoMay('secretsmanager:PutSecretValue').map(([role]) => role)).not.toContain('workers');
});

test('only migrations may read the whole table', () => {
  expect(whoMay('dynamodb:Scan').map(([role]) => role)).toEqual(['migrations']);
});

/** The groups that may do this with payloads. */
const whoMayWithPayloads = (action: string) => [
  ...new Set(
    grants
      .filter(({ actions }) => actions.some((pattern) => lets(pattern, action)))
      .filter(({ resources }) => resources.some((arn) => /storespayloads/.test(arn)))
      .map(({ role }) => role)
      .toSorted(),
  ),
];

/** The groups whose runs of agents end, some of which keep no log. */
const endingGroups = [
  'agent-runs',
  'client-chat',
  'dispatch',
  'openai',
  'runs',
  'surface-a2a',
  'surface-mcp',
  'surface-runs',
  'tool-runs',
  'waits',
  'workers',
];

test('groups that delete nothing cannot: neither items, nor payloads', () => {
  const groups = new Set(
    grants
      .filter(({ actions }) => actions.some((name) => lets(name, 'dynamodb:Query')))
      .map(({ role }) => role),
  );
  const deleting = whoMay('dynamodb:DeleteItem', 'dynamodb:BatchWriteItem').map(([role]) => role);
  expect([...groups].filter((role) => !deleting.includes(role)).toSorted()).toEqual([
    'agent-executions',
    'api-mcp',
    'audit-log',
    'authorizer',
    'exports',
    'imports',
    'mcp-authorization',
    'migrations',
    'model-usage',
    'public',
    'run-metrics',
    'run-waits',
  ]);
  const removing = whoMayWithPayloads('s3:DeleteObject');
  expect(removing).toEqual(['conversations', ...endingGroups].toSorted());
  expect(whoMayWithPayloads('s3:ListBucket')).toEqual(['workers']);
});

test('groups that only read payloads cannot write them', () => {
  const writing = whoMayWithPayloads('s3:PutObject');
  expect(whoMayWithPayloads('s3:GetObject').filter((role) => !writing.includes(role))).toEqual([
    'agent-executions',
    'agents',
    'exports',
    'flow-versions',
    'products',
    'tools',
  ]);
});

/** The groups that run agents and tools, which refresh the tokens of MCP connections. */
const runningGroups = [
  'agent-runs',
  'client-chat',
  'dispatch',
  'openai',
  'surface-a2a',
  'surface-mcp',
  'surface-runs',
  'tool-runs',
  'workers',
];

test('nothing else grants access to secrets: no secret policy, no KMS decryption but with the key of test keys, no role assumption', () => {
  prod.resourceCountIs('AWS::SecretsManager::ResourcePolicy', 0);
  expect(whoMay('sts:AssumeRole', 'iam:PutRolePolicy', 'iam:AttachRolePolicy')).toEqual([]);
  const decrypting = whoMay('kms:Decrypt', 'kms:ReEncryptFrom');
  for (const [, resources] of decrypting)
    expect(resources).toEqual([expect.stringContaining('storestestkeys')]);
  const ofTestKeys = ['api-keys', 'migrations', 'surface-keys'];
  const others = [...runningGroups, 'mcp-authorization', 'telemetry'];
  expect([...new Set(decrypting.map(([role]) => role))]).toEqual([...ofTestKeys, ...others].toSorted());
  prod.resourceCountIs('AWS::KMS::Key', 1);
  const passing = grants.filter(({ actions }) => actions.some((pattern) => lets(pattern, 'iam:PassRole')));
  for (const { resources } of passing) expect(resources.join()).toMatch(/scheduler?s?role/);
});

const ofKms = () =>
  grants
    .filter(({ actions }) => actions.some((action) => action.startsWith('kms:')))
    .map(({ role, actions, condition }) => ({ role, action: actions.join(), condition }));
const withContext = (name: string, ids: string) => ({
  StringLike: { [`kms:EncryptionContext:${name}`]: ids },
});

const ofBudgets = { StringEquals: { 'kms:EncryptionContext:purpose': 'budget' } };
const ofRuns = { StringEquals: { 'kms:EncryptionContext:purpose': 'run' } };
const ofTelemetry = { StringEquals: { 'kms:EncryptionContext:purpose': 'telemetry' } };

test('workers decrypt the secrets of push notifications, the tokens of connections, the headers of telemetry, the keys of budgets and values in runs only, and no test keys', () => {
  const ofWorkers = ofKms().filter(({ role }) => role === 'workers');
  expect(ofWorkers).toHaveLength(6);
  expect(ofWorkers).toEqual(
    expect.arrayContaining([
      { role: 'workers', action: 'kms:Decrypt', condition: withContext('taskId', 'task_*') },
      { role: 'workers', action: 'kms:Decrypt', condition: ofTelemetry },
      { role: 'workers', action: 'kms:Decrypt', condition: ofBudgets },
      { role: 'workers', action: 'kms:Encrypt,kms:Decrypt', condition: ofRuns },
      { role: 'workers', action: 'kms:Decrypt', condition: withContext('connectionId', 'mcpconn_*') },
      { role: 'workers', action: 'kms:Encrypt', condition: withContext('connectionId', 'mcpconn_*') },
    ]),
  );
});

test('what manages MCP connections encrypts their tokens and cannot decrypt them', () => {
  const condition = withContext('connectionId', 'mcpconn_*');
  const managing = ofKms().filter(({ role }) => role === 'mcp-connections');
  expect(managing).toEqual([{ role: 'mcp-connections', action: 'kms:Encrypt', condition }]);
  const decrypting = ofKms().filter((grant) => grant.action === 'kms:Decrypt');
  const ofConnections = decrypting.filter((grant) => isDeepStrictEqual(grant.condition, condition));
  expect(ofConnections.map(({ role }) => role).toSorted()).toEqual(
    [...runningGroups, 'mcp-authorization'].toSorted(),
  );
});

test('schedules are in a group of their own, and their role may only send to the queue that fire-schedule consumes', () => {
  const names = (type: string, part: string) =>
    Object.keys(prod.findResources(type)).filter((id) => id.toLowerCase().includes(part));
  const [group, ...groups] = names('AWS::Scheduler::ScheduleGroup', 'schedulesgroup');
  expect(groups).toEqual([]);
  const changing = ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'].map((each) => `scheduler:${each}`);
  const changers = whoMay(...changing.slice(1));
  expect(changers.map(([role]) => role)).toEqual(['schedules', 'workers', 'workspace']);
  for (const [, resources] of changers) expect(resources).toEqual([expect.stringContaining(`${group}`)]);
  const [role] = names('AWS::IAM::Role', 'schedulesrole');
  const [policy, ...policies] = Object.values(prod.findResources('AWS::IAM::Policy')).filter(
    ({ Properties }) => JSON.stringify(Properties.Roles).includes(role ?? ''),
  );
  expect(policies).toEqual([]);
  const statements: { Action: string[]; Resource: { 'Fn::GetAtt': [string, string] } }[] =
    policy?.Properties.PolicyDocument.Statement;
  const queues = statements.map(({ Resource }) => Resource['Fn::GetAtt'][0]);
  expect(queues).toEqual([
    expect.stringMatching(/^storesschedules(?!deadletters)/),
    expect.stringMatching(/^storesschedulesdeadletters/),
  ]);
  for (const { Action } of statements) expect(Action).toContain('sqs:SendMessage');
  const consumers = Object.values(prod.findResources('AWS::Lambda::EventSourceMapping')).filter(
    ({ Properties }) => Properties.EventSourceArn['Fn::GetAtt'][0] === queues[0],
  );
  expect(consumers).toHaveLength(1);
  expect(JSON.stringify(consumers[0]?.Properties.FunctionName)).toContain('fireschedule');
});

test('senders to a queue may send to it and do nothing else with it; only its consumer reads it', () => {
  const ofQueues = grants.filter(({ actions }) => actions.some((pattern) => pattern.startsWith('sqs:')));
  const receiving = ofQueues.filter(({ actions }) =>
    actions.some((each) => lets(each, 'sqs:ReceiveMessage')),
  );
  const sending = ofQueues.filter((grant) => !receiving.includes(grant));
  expect(sending.length).toBeGreaterThan(10);
  // Whoever starts or cancels a batch lets others have its slots, whose messages are held with a handle.
  const releasing = sending.filter(({ actions }) => actions.includes('sqs:DeleteMessage'));
  for (const { actions, resources } of releasing) {
    expect(actions).toEqual(['sqs:DeleteMessage']);
    expect(JSON.stringify(resources)).toMatch(/storesruns(?!deadletters)/);
  }
  for (const { actions } of sending.filter((grant) => !releasing.includes(grant)))
    expect(actions).toEqual(['sqs:SendMessage']);
  expect([...new Set(receiving.map(({ role }) => role))].toSorted()).toEqual(['migrations', 'workers']);
});

test('only actions without resource-level permissions are allowed on every resource', () => {
  const bare = grants.filter(({ resources }) => resources.includes('*')).flatMap(({ actions }) => actions);
  expect([...new Set(bare)].toSorted()).toEqual([
    'cloudwatch:DescribeAlarms',
    'xray:PutTelemetryRecords',
    'xray:PutTraceSegments',
  ]);
});

test('no policy allows every action of a service', () => {
  expect(grants.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
});

test('the only AWS managed policy is the one for API Gateway logs, which a region has once', () => {
  expect(managedByAws(prod)).toEqual([]);
  expect(managedByAws(Template.fromStack(new RegionStack(new App())))).toEqual([
    'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
  ]);
});

// X-Ray's reason for `*` holds for the whole role, which is why the test above lists what it is for.
test('synthesis fails for a wildcard without a stated reason', () => {
  const withGrant = () =>
    synthesise('dev', {}, (stack) => {
      const role = stack.node.findAll().find(({ node }) => node.id === 'records-role');
      if (!role) throw new Error('There is no such role');
      allowActions(role as Role, ['dynamodb:GetItem'], ['arn:aws:dynamodb:*:*:table/*']);
    });
  expect(withGrant).toThrow('AwsSolutions-IAM5');
});
