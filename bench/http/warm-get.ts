import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { getFlow } from '../../functions/flows/get.ts';
import { localUser } from '../../infra/local/credentials.ts';
import { region } from '../../infra/local/runtime/account.ts';
import { newId } from '../../shared/core/ids.ts';
import { hashKey } from '../../shared/platform/auth/key-format.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { tenantTable } from '../../shared/platform/data/table.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { toContext, toTenant } from '../../shared/platform/identity/principal.ts';
import type { Runtime } from '../../shared/platform/runtime.ts';
import { publishBenchFlow } from '../flows/batch.ts';
import type { Figure } from '../measure/figure.ts';
import { type BenchStack, startBenchStack, unlimitedRates } from '../measure/stack.ts';

/** Makes one warm call. */
export type WarmGet = () => Promise<unknown>;

/** Measures `GET /v1/flows/:id` as a warm Lambda in this process, with the table of an embedded stack in another. */
export const withWarmGet = (measure: (get: WarmGet) => Promise<Figure[]>) => async () => {
  await using stack = await startBenchStack();
  const get = await warmGet(stack, getFlow, { id: await publishBenchFlow(stack.api, 'local') });
  return await measure(get);
};

/** An endpoint as a warm Lambda of this process. */
export async function warmGet(
  stack: BenchStack,
  endpoint: AnyEndpoint,
  pathParameters: Record<string, string> | null = null,
  queryStringParameters: Record<string, string> | null = null,
): Promise<WarmGet> {
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const handler = toLambda(endpoint, runtimeOn(stack.facts.table));
  const event = { ...(await eventFor(stack)), pathParameters, queryStringParameters };
  const context = { getRemainingTimeInMillis: () => 29_000 } as Context;
  const get = async () => {
    // The handler changes its event, so each call gets a copy.
    const { statusCode } = await handler({ ...event }, context);
    if (statusCode !== 200) throw new Error(`${endpoint.id} was answered with ${statusCode}`);
  };
  await get();
  return get;
}

/** Sets the environment that a deployment gives a Lambda. */
export function useTable(endpoint: string, table: string): void {
  Object.assign(process.env, unlimitedRates, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    TABLE_NAME: table,
    TENANT_OPEN_REQUESTS: '50',
  });
}

/** As in production, but for this stack: a process creates the production runtime only once. */
export function runtimeOn(table: string): () => Runtime {
  const client = documentClient();
  const runtime: Runtime = {
    scopeOf: (tenant) => ({ table: tenantTable(client, table, tenant), now: () => new Date(), newId }),
  };
  return () => runtime;
}

/** The API Gateway event of a call with the live key. */
export async function eventFor({ api, facts }: BenchStack): Promise<APIGatewayProxyEvent> {
  const { apiKeys } = await api.call('api-keys.list');
  const key = apiKeys.find(({ isTestKey }) => !isTestKey);
  if (!key) throw new Error('The stack has no live key');
  const authorizer = toContext({
    kind: 'key',
    tenant: toTenant(localUser, null),
    userId: localUser,
    organizationId: null,
    environment: 'production',
    keyId: key.id,
    hash: hashKey(facts.liveKey),
    permissions: [],
  });
  return {
    httpMethod: 'GET',
    headers: { authorization: `Bearer ${facts.liveKey}` },
    body: null,
    isBase64Encoded: false,
    requestContext: { requestId: 'bench', authorizer, identity: { sourceIp: '127.0.0.1' } },
  } as unknown as APIGatewayProxyEvent;
}
