import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { DocumentClient } from '../../../shared/platform/data/requests/document-client.ts';
import { tableActions, useVariables } from '../../uses.ts';

/** The environment variables and table actions of a Lambda. */
export interface Rights {
  name: string;
  variables: ReadonlySet<string>;
  tableActions: ReadonlySet<string>;
}

/** `variables`: those that AWS sets for each invocation. */
const running = new AsyncLocalStorage<{ rights: Rights; variables: Record<string, string> }>();
const known: ReadonlySet<string> = new Set(Object.values(useVariables).flat());

/** The rights that a deployment gives a Lambda for its uses. */
export const lambdaRights = (name: string, uses: readonly Use[]): Rights => ({
  name,
  variables: new Set(uses.flatMap((use): readonly string[] => useVariables[use])),
  tableActions: new Set(
    Object.entries(tableActions).flatMap(([use, some]) => (uses.includes(use as Use) ? some : [])),
  ),
});

/** Runs a Lambda with its rights and these variables, once `enforceGrants` was called. */
export const withGrants = <T>(rights: Rights, run: () => T, variables: Record<string, string> = {}): T =>
  running.run({ rights, variables }, run);

/** Restricts each Lambda to its own environment variables and to the table actions of its role. */
export function enforceGrants(): void {
  process.env = new Proxy(process.env, {
    get: (target, name) => (isHidden(name) ? undefined : (variableOf(name) ?? Reflect.get(target, name))),
    set: (target, name, value) => Reflect.set(target, name, value),
    defineProperty: (target, name, descriptor) => Reflect.defineProperty(target, name, descriptor),
  });
  const client = DocumentClient.prototype as unknown as { send: Send };
  const { send } = client;
  client.send = function (command, ...rest) {
    const rights = running.getStore()?.rights;
    const denied = rights && actionsOf(command).find((action) => !rights.tableActions.has(action));
    if (denied)
      throw new Error(`${rights.name} may not ${denied}: none of its factories states a use for it`);
    return send.call(this, command, ...rest);
  };
}

type Send = (this: unknown, command: Command, ...rest: unknown[]) => unknown;

interface Command {
  constructor: { name: string };
  input: object;
}

const isHidden = (name: string | symbol) =>
  typeof name === 'string' && known.has(name) && running.getStore()?.rights.variables.has(name) === false;

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

/** The IAM actions of a command: a transaction needs those of its parts. */
function actionsOf({ constructor: { name }, input }: Command): string[] {
  if (name !== 'TransactWriteCommand') return [`dynamodb:${actions[name] ?? name}`];
  const { TransactItems = [] } = input as TransactWriteCommandInput;
  const kinds = TransactItems.flatMap((item) => Object.keys(item)) as (keyof typeof actionsOfTransaction)[];
  return kinds.map((kind) => `dynamodb:${actionsOfTransaction[kind]}`);
}
