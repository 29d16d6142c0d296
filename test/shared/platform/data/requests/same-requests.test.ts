import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentClient } from '../../../../../shared/platform/data/requests/document-client.ts';
import { numRuns } from '../../../../support/suite/slow.ts';
import { answerWith, type Received, scriptedEndpoint } from './scripted-endpoint.ts';

const TableName = 'table';
const Key = { PK: 'tenant', SK: 'item' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };

/** Each operation that the service uses, with a value of a tenant in every place that has one. */
const commands: Record<string, (value: unknown) => object> = {
  GetItem: (value) => new GetCommand({ TableName, Key: { ...Key, SK: value }, ConsistentRead: true }),
  BatchGetItem: (value) =>
    new BatchGetCommand({
      RequestItems: { [TableName]: { Keys: [Key, { ...Key, SK: value }], ConsistentRead: false } },
    }),
  Query: (value) =>
    new QueryCommand({
      TableName,
      IndexName: 'GSI1',
      KeyConditionExpression: '#PK = :pk',
      FilterExpression: '#a = :a',
      ExpressionAttributeNames: { '#PK': 'PK', '#a': 'a' },
      ExpressionAttributeValues: { ':pk': 'tenant', ':a': value },
      ExclusiveStartKey: { ...Key, extra: value },
      ScanIndexForward: false,
      Limit: 3,
    }),
  Scan: (value) =>
    new ScanCommand({ TableName, Segment: 1, TotalSegments: 4, ExclusiveStartKey: { ...Key, v: value } }),
  PutItem: (value) =>
    new PutCommand({
      TableName,
      Item: { ...Key, value },
      ConditionExpression: 'attribute_not_exists(PK)',
      ReturnConsumedCapacity: 'INDEXES',
    }),
  UpdateItem: (value) =>
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET #a = :a',
      ExpressionAttributeNames: { '#a': 'a' },
      ExpressionAttributeValues: { ':a': value },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  DeleteItem: (value) =>
    new DeleteCommand({
      TableName,
      Key,
      ConditionExpression: 'a = :a',
      ExpressionAttributeValues: { ':a': value },
    }),
  BatchWriteItem: (value) =>
    new BatchWriteCommand({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: { ...Key, value } } }, { DeleteRequest: { Key } }],
      },
    }),
  TransactGetItems: (value) =>
    new TransactGetCommand({ TransactItems: [{ Get: { TableName, Key: { ...Key, SK: value } } }] }),
  TransactWriteItems: (value) =>
    new TransactWriteCommand({
      ClientRequestToken: 'token',
      TransactItems: [
        { Put: { TableName, Item: { ...Key, value } } },
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'SET a = :a',
            ExpressionAttributeValues: { ':a': value },
          },
        },
        { Delete: { TableName, Key } },
        {
          ConditionCheck: {
            TableName,
            Key,
            ConditionExpression: 'a = :a',
            ExpressionAttributeValues: { ':a': value },
          },
        },
      ],
    }),
};

/** What a tenant may store, and what DynamoDB has beyond it. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('"', '\\', '\n', '\u2028', '\ud800', '\udc00', 'é', '漢', '😀', '\u0000', '/'),
    }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -9e15, max: 9e15 }),
    fc.integer(),
    fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.constantFrom(NumberValue.from('0.1'), NumberValue.from('12345678901234567890')),
    fc.uint8Array({ minLength: 1 }),
    fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }).map((each) => new Set(each)),
    fc.uniqueArray(fc.integer(), { minLength: 1 }).map((each) => new Set(each)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value;

async function clients(endpoint: string) {
  const options = { endpoint, region: 'eu-central-1', credentials, maxAttempts: 3 };
  const sdk = DynamoDBDocumentClient.from(new DynamoDBClient(options), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return { sdk, ours: new DocumentClient(new DynamoDBClient(options)) };
}

test('every request equals the one of the unchanged SDK, byte by byte', async () => {
  using server = await scriptedEndpoint(answerWith({}));
  const { sdk, ours } = await clients(server.endpoint);
  const lastOf = async (client: DynamoDBDocumentClient, command: object) => {
    await client.send(command as never);
    return server.received.at(-1) as Received;
  };
  for (const make of Object.values(commands)) await lastOf(ours, make('first'));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.entries(commands)), anyValue, async ([, make], value) => {
      // DynamoDB has no key without a value.
      const sent = value ?? 'some';
      const expected = await lastOf(sdk, make(sent));
      const actual = await lastOf(ours, make(sent));
      expect(comparable(actual)).toEqual(comparable(expected));
      expect(actual.headers.authorization).toBe(await signatureOf(actual));
    }),
    { numRuns: numRuns(400) },
  );
});

test('transactions get a token of their own, so that a retry is not a second one', async () => {
  using server = await scriptedEndpoint(answerWith({}));
  const { ours } = await clients(server.endpoint);
  const write = () =>
    ours.send(new TransactWriteCommand({ TransactItems: [{ Delete: { TableName, Key } }] }));
  for (let n = 0; n < 3; n++) await write();
  const tokens = server.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(new Set(tokens).size).toBe(3);
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['NaN', Number.NaN],
  ['an infinite number', Number.POSITIVE_INFINITY],
  ['a number that is not exact', 2 ** 53],
  ['an instance of a class', new Date(0)],
  ['an empty set', new Set()],
  ['a symbol', Symbol('one')],
])('%s is refused as by the SDK', async (_what, value) => {
  using server = await scriptedEndpoint(answerWith({}));
  const { sdk, ours } = await clients(server.endpoint);
  const put = (client: DynamoDBDocumentClient, stored: unknown) =>
    client.send(new PutCommand({ TableName, Item: { ...Key, list: [{ stored }] } }));
  await put(ours, 1);
  const expected = await put(sdk, value).catch((error: Error) => error);
  await expect(put(ours, value)).rejects.toThrow((expected as Error).message);
  expect(server.received).toHaveLength(1);
});

/** Without what differs between any two requests. */
function comparable({ headers, ...rest }: Received) {
  const { authorization = '', 'amz-sdk-invocation-id': id, 'x-amz-date': date, ...others } = headers;
  const { 'x-amz-content-sha256': sha, ...compared } = others;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(date).toMatch(/^\d{8}T\d{6}Z$/);
  expect(sha).toMatch(/^[0-9a-f]{64}$/);
  return { ...rest, headers: compared, authorization: authorization.replace(/Signature=.*/, '') };
}

/** How the SDK signs this very request. */
async function signatureOf({ headers, body }: Received): Promise<string> {
  const { authorization, connection, 'x-amz-content-sha256': _sha, ...signed } = headers;
  const [, date = ''] = String(signed['x-amz-date']).match(/(.*)/) ?? [];
  const signingDate = new Date(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const signer = await new DynamoDBClient({ region: 'eu-central-1', credentials }).config.signer();
  const request = new HttpRequest({
    method: 'POST',
    path: '/',
    headers: signed as Record<string, string>,
    body,
  });
  return String((await signer.sign(request, { signingDate })).headers.authorization);
}
