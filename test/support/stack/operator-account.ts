import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { entries } from '../../../infra/aws/conventions/entries.ts';
import { lambdaName } from '../../../infra/aws/conventions/names.ts';
import { lambdaPath } from '../../../infra/local/replay.ts';
import { invoke } from '../../../infra/local/runtime/invoke.ts';

interface Account {
  /** The outputs of the stack AgentFlowService-dev. */
  outputs: Record<string, string>;
  status?: string;
  /** Of it and its nested stacks, whose names are their ids. */
  resources?: readonly { stack: string; type: string; name: string; id: string }[];
  /** Responses of further services: by the operation of a JSON protocol, or by the path of a REST protocol. */
  answers?: Record<string, (input: never) => readonly [status: number, body: object]>;
}

/**
 * What an operator's commands see of an AWS account: CloudFormation's outputs, a user pool, and Lambdas, which run in
 * this process on the embedded stack.
 */
export async function operatorAccount(account: Account) {
  const users = new Map<string, Record<string, string>>();
  const invoked: string[] = [];

  const cognito: Record<string, (input: CognitoInput) => [status: number, body: object]> = {
    AdminCreateUser({ Username, UserAttributes = [] }) {
      if (users.has(Username)) return [400, { __type: 'UsernameExistsException', message: 'User exists' }];
      const given = Object.fromEntries(UserAttributes.map(({ Name, Value }) => [Name, Value]));
      users.set(Username, { sub: crypto.randomUUID(), ...given });
      return [200, { User: { Username, Attributes: attributesOf(users.get(Username)) } }];
    },
    AdminGetUser: ({ Username }) => [200, { Username, UserAttributes: attributesOf(users.get(Username)) }],
  };

  async function answerTo(request: IncomingMessage): Promise<[status: number, body: string]> {
    const body = await text(request);
    const target =
      String(request.headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '';
    if (cognito[target]) {
      const [status, answer] = cognito[target](JSON.parse(body));
      return [status, JSON.stringify(answer)];
    }
    const answer = account.answers?.[target || decodeURIComponent(request.url ?? '')];
    if (answer) {
      const [status, content] = answer((body ? JSON.parse(body) : {}) as never);
      return [status, JSON.stringify(content)];
    }
    const name = /\/functions\/([^/]+)\/invocations/.exec(decodeURIComponent(request.url ?? ''))?.[1];
    if (name === undefined) return cloudFormation(new URLSearchParams(body), account);
    const entry = entries.find(({ id }) => lambdaName(id, 'dev') === name);
    if (!entry) return [404, JSON.stringify({ Type: 'User', message: `Function not found: ${name}` })];
    invoked.push(name);
    return [200, JSON.stringify(await invoke(lambdaPath(entry), JSON.parse(body), 29))];
  }

  const server = createServer((request, response) => {
    answerTo(request).then(([status, body]) => response.writeHead(status).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    users,
    invoked,
    /** The environment of a command. */
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      // The environment of the tests names some of them.
      ...Object.fromEntries(services.map((service) => [`AWS_ENDPOINT_URL_${service}`, url])),
    },
    close: () => server.close(),
  };
}

const services = [
  'CLOUDFORMATION',
  'CLOUDWATCH',
  'COGNITO_IDENTITY_PROVIDER',
  'DYNAMODB',
  'KMS',
  'LAMBDA',
  'SECRETS_MANAGER',
  'S3VECTORS',
  'SESV2',
  'SQS',
];

interface CognitoInput {
  Username: string;
  UserAttributes?: { Name: string; Value: string }[];
}

const attributesOf = (user: Record<string, string> = {}) =>
  Object.entries(user).map(([Name, Value]) => ({ Name, Value }));

function cloudFormation(parameters: URLSearchParams, account: Account): [number, string] {
  const name = parameters.get('StackName') ?? '';
  const isNested = account.resources?.some(({ stack }) => stack === name);
  if (name !== 'AgentFlowService-dev' && !isNested)
    return [
      400,
      `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`,
    ];
  const action = parameters.get('Action') ?? '';
  const content = action === 'ListStackResources' ? resourcesOf(name, account) : stacksOf(name, account);
  return [200, `<${action}Response><${action}Result>${content}</${action}Result></${action}Response>`];
}

function stacksOf(name: string, { outputs, status = 'CREATE_COMPLETE' }: Account): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<Stacks><member><StackName>${name}</StackName><StackStatus>${status}</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks>`;
}

function resourcesOf(stackName: string, { resources = [] }: Account): string {
  const own = resources.filter(({ stack }) => stack === stackName);
  const members = own.map(
    ({ type, name, id }) =>
      `<member><LogicalResourceId>${name}</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus><LastUpdatedTimestamp>2026-01-01T00:00:00Z</LastUpdatedTimestamp></member>`,
  );
  return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
}
