import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  CreateIndexCommand,
  CreateVectorBucketCommand,
  ListIndexesCommand,
  S3VectorsClient,
} from '@aws-sdk/client-s3vectors';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  ListSecretsCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../infra/aws/teardown/handler.ts';
import { stack } from '../../support/stack/stack.ts';

/** CloudFormation’s side of a custom resource: a presigned URL that takes the answer, and the status of the stack. */
const answers: { Status: string; Reason?: string }[] = [];
let stackStatus: string;
const cloudFormation = createServer(async (request, response) => {
  const body = await text(request);
  if (request.method === 'PUT') answers.push(JSON.parse(body));
  else response.write(described(stackStatus));
  response.end();
});
const described = (status: string) =>
  `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>stack</StackName><StackStatus>${status}</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
const url = () => `http://127.0.0.1:${(cloudFormation.address() as AddressInfo).port}/`;
beforeAll(async () => {
  cloudFormation.listen(0, '127.0.0.1');
  await once(cloudFormation, 'listening');
});
afterAll(() => {
  cloudFormation.close();
  vi.unstubAllEnvs();
});

const secrets = new SecretsManagerClient({ endpoint: stack().aws.secretsManager });
const vectors = new S3VectorsClient({ endpoint: stack().aws.s3Vectors });
let prefix: string;
let bucket: string;
beforeEach(async () => {
  prefix = `test-${randomUUID()}`;
  bucket = `test-${randomUUID()}`;
  vi.stubEnv('SECRETS_PREFIX', prefix);
  vi.stubEnv('VECTOR_BUCKET', bucket);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', url());
  stackStatus = 'DELETE_IN_PROGRESS';
  await vectors.send(new CreateVectorBucketCommand({ vectorBucketName: bucket }));
  answers.length = 0;
});

const requestOf = (RequestType: 'Create' | 'Update' | 'Delete') =>
  ({
    RequestType,
    ServiceToken: 'arn',
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'teardown',
    ResourceType: 'Custom::Teardown',
    PhysicalResourceId: 'teardown',
    ResponseURL: url(),
    ResourceProperties: { ServiceToken: 'arn' },
  }) as CloudFormationCustomResourceEvent;

const namesOf = async (start: string) => {
  const Filters = [{ Key: 'name' as const, Values: [start] }];
  const { SecretList = [] } = await secrets.send(
    new ListSecretsCommand({ Filters, IncludePlannedDeletion: true }),
  );
  return SecretList.map(({ Name }) => Name);
};
const indexes = async () =>
  (await vectors.send(new ListIndexesCommand({ vectorBucketName: bucket }))).indexes;
const addSecret = (Name: string) => secrets.send(new CreateSecretCommand({ Name, SecretString: 'x' }));

test('deleting the stack deletes its secrets, also those in their recovery window, and its vector indexes', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `${prefix}/tenant/secrets/${index}`);
  for (const name of names) await addSecret(name);
  await secrets.send(new DeleteSecretCommand({ SecretId: names[0] }));
  for (const indexName of ['one', 'two']) {
    const index = { vectorBucketName: bucket, indexName, dimension: 2 };
    await vectors.send(new CreateIndexCommand({ ...index, dataType: 'float32', distanceMetric: 'cosine' }));
  }
  await handler(requestOf('Delete'));
  expect(answers).toMatchObject([{ Status: 'SUCCESS', StackId: 'stack', LogicalResourceId: 'teardown' }]);
  expect([await namesOf(prefix), await indexes()]).toEqual([[], []]);
});

test('secrets of others stay, also those whose name differs only in case or continues the prefix', async () => {
  const others = [`${prefix}-other/a`, `${prefix.toUpperCase()}/b`];
  for (const name of others) await addSecret(name);
  await handler(requestOf('Delete'));
  expect((await namesOf(prefix)).toSorted()).toEqual(others.toSorted());
});

test('creating and updating the stack deletes nothing', async () => {
  await addSecret(`${prefix}/a`);
  for (const type of ['Create', 'Update'] as const) await handler(requestOf(type));
  expect(answers.map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(await namesOf(prefix)).toHaveLength(1);
});

test.each(['UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'])(
  'deletes nothing when only the resource leaves a stack that stays: %s',
  async (status) => {
    stackStatus = status;
    await addSecret(`${prefix}/a`);
    await handler(requestOf('Delete'));
    expect(answers.map(({ Status }) => Status)).toEqual(['SUCCESS']);
    expect(await namesOf(prefix)).toHaveLength(1);
  },
);

test('a failure is reported, so that CloudFormation does not wait for an hour', async () => {
  vi.stubEnv('VECTOR_BUCKET', 'no-such-bucket');
  await handler(requestOf('Delete'));
  expect(answers).toMatchObject([
    { Status: 'FAILED', Reason: expect.stringContaining('could not be found') },
  ]);
});
