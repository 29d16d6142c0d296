import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import * as z from 'zod';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { newId } from '../../../shared/core/ids.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import { toTenant } from '../../../shared/platform/identity/principal.ts';
import type { Runtime } from '../../../shared/platform/runtime.ts';
import { fetchFromOwnAddress } from '../servers/own-address.ts';

/** What is known of the embedded stack that runs beside the tests. */
export const stack = (): StackFacts => inject('stack');

export interface CallOptions {
  /** Sent as JSON; FormData as it is; a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface CallResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

export interface Tenant {
  tenant: string;
  userId: string;
  organizationId: string | null;
  token: string;
  call: (method: string, path: string, options?: CallOptions) => Promise<CallResponse>;
}

export interface TenantOptions {
  userId?: string;
  organizationId?: string;
  permissions?: string[];
}

/** A user of its own with a session, so that no test meets another's data. */
export async function newTenant(options: TenantOptions = {}): Promise<Tenant> {
  const { userId = `user-${randomUUID()}`, organizationId = null } = options;
  const { status, body } = await call('POST', '/local/sessions', { body: { ...options, userId } });
  if (status !== 200) throw new Error(`No session: ${JSON.stringify(body)}`);
  const tenant = toTenant(userId, organizationId);
  return { tenant, userId, organizationId, token: body.token, call: callerWith(body.token) };
}

/** Calls the API with a credential: an API key or a session token. */
export const callerWith =
  (credential: string) =>
  (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    call(method, path, { ...options, headers: { authorization: `Bearer ${credential}`, ...headers } });

/** Calls the API with nothing but what is given. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<CallResponse> {
  const { body, headers } = options;
  const plain = body === undefined || typeof body === 'string' || body instanceof FormData;
  const isForm = body instanceof FormData;
  const isAnonymous = !headers?.authorization && !isForm;
  const response = await (isAnonymous ? fetchFromOwnAddress : fetch)(stack().url + path, {
    method,
    headers: { ...(!isForm && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: plain ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
  const answer = {
    status: response.status,
    headers: response.headers as Headers,
    body: isJson ? JSON.parse(text) : text,
  };
  if (isJson && answer.status >= 400) expectErrorBody(answer, method, path);
  return answer;
}

/** What holds for every error. */
function expectErrorBody({ status, body }: CallResponse, method: string, path: string): void {
  const own = /\/surfaces\/[^/]+\/a2a\b/.test(path)
    ? a2aErrors
    : /^\/v1\/openai\//.test(path)
      ? [openAiError]
      : [];
  const schema = z.union([...own, errorOf(status)]);
  const { error } = schema.safeParse(body);
  if (error)
    throw new Error(`${method} ${path} was answered ${status} ${JSON.stringify(body)}: ${error.message}`);
}

/** `details` is a text with 401, 403 and 429 alone, elsewhere a list of one entry at least. */
const errorOf = (status: number) =>
  z.object({
    error: z.string(),
    details: [401, 403, 429].includes(status) ? z.string() : z.array(ErrorDetail).min(1),
  });

const openAiError = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** As the bindings of A2A have errors: HTTP+JSON, JSON-RPC. */
const a2aErrors = [
  z.strictObject({
    error: z.object({
      code: z.int(),
      status: z.string(),
      message: z.string(),
      details: z.array(z.object({})).min(1),
    }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), error: z.object({ code: z.int(), message: z.string() }) }),
] as const;

const ErrorDetail = z.strictObject({ path: z.string().optional(), code: z.string(), message: z.string() });

/** The same by another clock, for the table too. */
export const byClock = (scope: Scope, now: () => Date): Scope => ({
  ...scope,
  now,
  table: scope.table.at(now),
});

/** What was asked of the table: each operation by DynamoDB's name for it, and the capacity that all consumed. */
export interface Consumption {
  commands: string[];
  capacityUnits: number;
  /** Of the table itself, and of each index by its name. */
  byIndex: Record<string, number>;
}

/** A runtime on the stack's real table that counts what is asked of it. `reset` begins anew. */
export const countingTable = (tenant: string) => countingRuntime().scopeOf(tenant).table;

export function countingRuntime(): Runtime & { consumed: Consumption; reset: () => void } {
  const consumed: Consumption = { commands: [], capacityUnits: 0, byIndex: {} };
  const client = documentClient(countingClient(consumed));
  return {
    scopeOf: (tenant) => ({
      table: tenantTable(client, stack().table, tenant),
      now: () => new Date(),
      newId,
    }),
    consumed,
    reset: () => Object.assign(consumed, { commands: [], capacityUnits: 0, byIndex: {} }),
  };
}

interface Capacity {
  CapacityUnits?: number;
  Table?: { CapacityUnits?: number };
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
}

function countingClient(consumed: Consumption): DynamoDBClient {
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        Object.assign(sent.input, { ReturnConsumedCapacity: 'INDEXES' });
        consumed.commands.push(String(commandName).replace(/Command$/, ''));
        const result = await next(sent);
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
        for (const capacity of [ConsumedCapacity].flat()) add(consumed, capacity);
        return result;
      },
    { step: 'initialize', name: 'countConsumption' },
  );
  return client;
}

function add(consumed: Consumption, { CapacityUnits = 0, Table, GlobalSecondaryIndexes = {} }: Capacity) {
  consumed.capacityUnits += CapacityUnits;
  const parts = { ...(Table && { table: Table }), ...GlobalSecondaryIndexes };
  for (const [name, part] of Object.entries(parts)) {
    consumed.byIndex[name] = (consumed.byIndex[name] ?? 0) + (part.CapacityUnits ?? 0);
  }
}
