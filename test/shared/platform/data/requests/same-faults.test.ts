import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { DocumentClient } from '../../../../../shared/platform/data/requests/document-client.ts';
import { lazily, toLazyItem } from '../../../../../shared/platform/data/requests/lazy-items.ts';
import { answerWith, type Reaction, scriptedEndpoint } from './scripted-endpoint.ts';

const TableName = 'table';
const Key = { PK: 'tenant', SK: 'item' };
const found = answerWith({ Item: { PK: { S: 'tenant' }, n: { N: '7' } } });
const failure = (type: string, statusCode = 400, headers = {}, more = {}) =>
  answerWith(
    { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'why', ...more },
    statusCode,
    headers,
  );
/** Fails so many times, then succeeds. */
const times =
  (count: number, reaction: Reaction): Reaction =>
  (response, n) =>
    (n <= count ? reaction : found)(response, n);
const reset: Reaction = (response) => response.socket?.resetAndDestroy();
const closed: Reaction = (response) => response.destroy();
const halfway: Reaction = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"Item":', () => response.destroy());
};
const text =
  (body: string, statusCode: number): Reaction =>
  (response) => {
    response.writeHead(statusCode);
    response.end(body);
  };
const skewed = failure('RequestTimeTooSkewed', 403, {
  date: new Date(Date.now() + 3_600_000).toUTCString(),
});

const faults: [string, Reaction][] = [
  ['an item', found],
  ['no item', answerWith({})],
  ['throttling that passes', times(2, failure('ThrottlingException'))],
  ['throttling that stays', failure('ProvisionedThroughputExceededException')],
  ['a request limit', times(1, failure('RequestLimitExceeded'))],
  ['an internal error that passes', times(1, failure('InternalServerError', 500))],
  ['an internal error that stays', failure('InternalServerError', 500)],
  ['an unavailable service without a body', times(1, text('', 503))],
  ['a page of a proxy', text('<html>', 502)],
  ['a connection that is reset', times(1, reset)],
  ['connections that are all reset', reset],
  ['connections that are all closed', closed],
  ['answers that all break off', halfway],
  ['a connection that is closed without an answer', times(1, closed)],
  ['an answer that breaks off', times(1, halfway)],
  ['an answer that is no JSON', text('{"Item":', 200)],
  ['an unknown table', failure('ResourceNotFoundException')],
  ['invalid input', failure('ValidationException')],
  ['an error that the SDK does not know', failure('BrandNewException', 400, {}, { Detail: 'more' })],
  ['credentials that are refused', failure('UnrecognizedClientException')],
  ['credentials that have expired', failure('ExpiredTokenException')],
  ['a clock that is an hour late', times(1, skewed)],
  ['a failed condition', failure('ConditionalCheckFailedException', 400, {}, { Item: { PK: { S: 'a' } } })],
  ['a time to wait', times(1, failure('ThrottlingException', 400, { 'retry-after': '0' }))],
  [
    'a cancelled transaction',
    failure(
      'TransactionCanceledException',
      400,
      {},
      {
        CancellationReasons: [
          { Code: 'ConditionalCheckFailed', Message: 'm', Item: { n: { N: '1' } } },
          { Code: 'None' },
        ],
      },
    ),
  ],
];

test.each(faults)('%s is handled as by the unchanged SDK', async (_what, reaction) => {
  const [sdk, ours] = await Promise.all([outcomeWith(sdkClient, reaction), outcomeWith(ourClient, reaction)]);
  expect(ours).toEqual(sdk);
});

test.each(['before it is sent', 'while it is under way', 'between two attempts'])(
  'a request that is aborted %s fails as with the unchanged SDK',
  async (when) => {
    const reaction: Reaction =
      when === 'between two attempts'
        ? failure('ThrottlingException', 400, { 'retry-after': '5' })
        : () => {};
    const run = async (create: Create) => {
      const signal = { aborted: false, onabort: null as (() => void) | null };
      const abort = () => {
        signal.aborted = true;
        signal.onabort?.();
      };
      if (when === 'before it is sent') abort();
      else setTimeout(abort, when === 'between two attempts' ? 300 : 30);
      return outcomeWith(create, reaction, signal);
    };
    const [sdk, ours] = await Promise.all([run(sdkClient), run(ourClient)]);
    expect(ours).toMatchObject({ error: { name: 'AbortError' } });
    expect(ours.error).toEqual(sdk.error);
  },
);

test('a server that is not there is reported as by the unchanged SDK', async () => {
  const outcome = async (create: Create) => {
    let endpoint: string;
    {
      using server = await scriptedEndpoint(answerWith({}));
      ({ endpoint } = server);
      const client = create(endpoint);
      await client.send(new GetCommand({ TableName, Key }));
      server[Symbol.dispose]();
      return shapeOf(await client.send(new GetCommand({ TableName, Key })).catch((error) => error));
    }
  };
  const [sdk, ours] = [await outcome(sdkClient), await outcome(ourClient)];
  expect(ours).toMatchObject({ name: 'Error', code: 'ECONNREFUSED' });
  expect(ours).toEqual(sdk);
});

test('a connection that the server has closed while it was idle is not an error', async () => {
  using server = await scriptedEndpoint(found);
  const client = ourClient(server.endpoint);
  for (let n = 0; n < 3; n++) {
    expect(await client.send(new GetCommand({ TableName, Key }))).toMatchObject({ Item: { n: 7 } });
    server.closeIdle();
  }
});

test('credentials that are renewed sign the next request', async () => {
  using server = await scriptedEndpoint(found);
  let number = 0;
  const client = new DocumentClient(
    new DynamoDBClient({
      region: 'eu-central-1',
      endpoint: server.endpoint,
      credentials: async () => {
        number++;
        return {
          accessKeyId: `KEY${number}`,
          secretAccessKey: `${number}`,
          expiration: new Date(Date.now() + 1_000),
        };
      },
    }),
  );
  for (let n = 0; n < 3; n++) await client.send(new GetCommand({ TableName, Key }));
  const keys = server.received.map(({ headers }) => headers.authorization?.match(/Credential=(\w+)/)?.[1]);
  expect(new Set(keys).size).toBe(3);
});

const many = () => new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } });
const manyFound = answerWith({ Responses: { [TableName]: [{ PK: { S: 'tenant' }, n: { N: '7' } }] } });

test.each<[string, Reaction]>([
  ['items', manyFound],
  ['no items', answerWith({ Responses: {} })],
  ['an empty answer', answerWith({})],
  [
    'an internal error that passes',
    (response, n) => (n === 1 ? failure('InternalServerError', 500) : manyFound)(response, n),
  ],
  ['throttling that stays', failure('ThrottlingException')],
  ['an answer that breaks off', halfway],
  ['an answer that is no JSON', text('{"Responses":', 200)],
  ['an item that is no JSON', text(`{"Responses":{"${TableName}":[{"n":{"N"}`, 200)],
  ['JSON of something else', text('[]', 200)],
])('a client that reads items lazily sees %s as the unchanged SDK does', async (_, reaction) => {
  const outcome = async (create: Create) => {
    using server = await scriptedEndpoint((response, n) =>
      n === 1 ? manyFound(response, n) : reaction(response, n - 1),
    );
    const client = create(server.endpoint);
    await client.send(many());
    return client
      .send(many(), lazily)
      .then(
        ({ Responses }) =>
          Responses && mapEntries(Responses, (items) => items.map((item) => toLazyItem(item).read())),
        shapeOf,
      );
  };
  expect(await outcome(ourClient)).toEqual(await outcome(sdkClient));
});

const mapEntries = <T, R>(map: Record<string, T>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

type Create = (endpoint: string) => DynamoDBDocumentClient;

const options = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  maxAttempts: 3,
};
const sdkClient: Create = (endpoint) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ ...options, endpoint }));
const ourClient: Create = (endpoint) => new DocumentClient(new DynamoDBClient({ ...options, endpoint }));

const read = () => new GetCommand({ TableName, Key });

/** How a read ends that is not the client's first, and what the server has seen of it. */
async function outcomeWith(create: Create, reaction: Reaction, abortSignal?: object) {
  using server = await scriptedEndpoint((response, n) =>
    n === 1 ? found(response, n) : reaction(response, n - 1),
  );
  const client = create(server.endpoint);
  await client.send(read());
  const result = await client
    .send(read(), { ...(abortSignal && { abortSignal: abortSignal as AbortSignal }) })
    .then(
      ({ $metadata, ...output }) => ({ output, metadata: withoutDelay($metadata), error: undefined }),
      (error) => ({ output: undefined, metadata: undefined, error: shapeOf(error) }),
    );
  const [first, ...more] = server.received.slice(1).map(({ headers }) => headers);
  const attempts = [first, ...more].map((headers) => ({
    attempt: headers?.['amz-sdk-request'],
    isSameRequest: headers?.['amz-sdk-invocation-id'] === first?.['amz-sdk-invocation-id'],
    hoursAhead: Math.round((timeOf(headers?.['x-amz-date']) - Date.now()) / 3_600_000),
  }));
  return { ...result, attempts };
}

/** The pauses between attempts are random. */
const withoutDelay = ({ totalRetryDelay: _, ...rest }: { totalRetryDelay?: number; attempts?: number }) =>
  rest;

const timeOf = (date: string | string[] | undefined) =>
  Date.parse(String(date).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** What the service may see of an error. */
function shapeOf(error: Error & { code?: string; $metadata?: { attempts?: number } }) {
  const { name, message, code, $metadata = {} } = error;
  const isOfNetwork = code !== undefined;
  return {
    ...error,
    name,
    code,
    constructor: error.constructor.name,
    message: isOfNetwork ? undefined : message,
    port: undefined,
    cause: undefined,
    $metadata: isOfNetwork ? { attempts: $metadata.attempts } : withoutDelay($metadata),
    $response: undefined,
  };
}
