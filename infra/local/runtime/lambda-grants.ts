import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { DocumentClient } from '../../../shared/platform/data/requests/document-client.ts';
import { payloadActions, tableActions, useVariables } from '../../uses.ts';
import { payloadBucket } from './account.ts';

/** The environment variables of a Lambda, and its actions on the table and on payloads. */
export interface Rights {
  name: string;
  variables: ReadonlySet<string>;
  actions: ReadonlySet<string>;
}

/** `variables`: those that AWS sets for each invocation. */
const running = new AsyncLocalStorage<{ rights: Rights; variables: Record<string, string> }>();
const declared: ReadonlySet<string> = new Set(Object.values(useVariables).flat());

/** The rights that a deployment gives a Lambda for its uses. */
export const lambdaRights = (name: string, uses: readonly Use[]): Rights => ({
  name,
  variables: new Set(uses.flatMap((use): readonly string[] => useVariables[use])),
  actions: new Set(
    Object.entries({ ...tableActions, ...payloadActions }).flatMap(([use, some]) =>
      uses.includes(use as Use) ? some : [],
    ),
  ),
});

/** Runs a Lambda with its rights and these variables, once `enforceGrants` was called. */
export const withGrants = <T>(rights: Rights, run: () => T, variables: Record<string, string> = {}): T =>
  running.run({ rights, variables }, run);

const denials = new Set<string>();

/** What Lambdas of this process tried without a right: whoever called may have swallowed the error. */
export const deniedActions = (): readonly string[] => [...denials];

/** Restricts each Lambda to its own environment variables and to what its role may do to the table and to payloads. */
export function enforceGrants(): void {
  process.env = new Proxy(process.env, {
    get: (target, name) => (isHidden(name) ? undefined : (variableOf(name) ?? Reflect.get(target, name))),
    set: (target, name, value) => Reflect.set(target, name, value),
    defineProperty: (target, name, descriptor) => Reflect.defineProperty(target, name, descriptor),
  });
  const client = DocumentClient.prototype as unknown as { send: Send };
  const { send } = client;
  client.send = function (command, ...rest) {
    assertAllowed(() => actionsOf(command));
    return send.call(this, command, ...rest);
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    assertAllowed(() => payloadActionsOf(input));
    return fetch(input, init);
  };
}

function assertAllowed(actionsOfRequest: () => readonly string[]): void {
  const rights = running.getStore()?.rights;
  const denied = rights && actionsOfRequest().find((action) => !rights.actions.has(action));
  if (!denied) return;
  const message = `${rights.name} may not ${denied}: none of its factories states a use for it`;
  denials.add(message);
  throw new Error(message);
}

type Send = (this: unknown, command: Command, ...rest: unknown[]) => unknown;

interface Command {
  constructor: { name: string };
  input: object;
}

const isHidden = (name: string | symbol) =>
  typeof name === 'string' && declared.has(name) && running.getStore()?.rights.variables.has(name) === false;

const variableOf = (name: string | symbol) =>
  typeof name === 'string' ? running.getStore()?.variables[name] : undefined;

const actions: Record<string, string> = {
  GetCommand: 'GetItem',
  BatchGetCommand: 'BatchGetItem',
  QueryCommand: 'Query',
  ScanCommand: 'Scan',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  BatchWriteCommand: 'BatchWriteItem',
};

const actionsOfTransaction = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
} as const;

const actionOfMethod: Record<string, string> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  // Begins and completes an object of several parts.
  POST: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};

const actionOfUploadMethod: Record<string, string> = {
  GET: 's3:ListMultipartUploadParts',
  DELETE: 's3:AbortMultipartUpload',
};

/** Of a signed request, which is always a `Request`. */
function payloadActionsOf(request: unknown): string[] {
  const bucket = `${process.env.AWS_ENDPOINT_URL_S3}/${payloadBucket}/`;
  if (!(request instanceof Request && request.url.startsWith(bucket))) return [];
  const { method, url } = request;
  const { searchParams } = new URL(url);
  const onUpload = searchParams.has('uploadId') ? actionOfUploadMethod[method] : undefined;
  if (onUpload) return [onUpload];
  const isListing = method === 'GET' && searchParams.has('list-type');
  return [isListing ? 's3:ListBucket' : (actionOfMethod[method] ?? `s3:${method}`)];
}

/** The IAM actions of a command: a transaction needs those of its parts. */
function actionsOf({ constructor: { name }, input }: Command): string[] {
  if (name !== 'TransactWriteCommand') return [`dynamodb:${actions[name] ?? name}`];
  const { TransactItems = [] } = input as TransactWriteCommandInput;
  const kinds = TransactItems.flatMap((item) => Object.keys(item)) as (keyof typeof actionsOfTransaction)[];
  return kinds.map((kind) => `dynamodb:${actionsOfTransaction[kind]}`);
}
