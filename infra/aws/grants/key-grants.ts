import type { Use } from '../../../shared/platform/aws/uses.ts';
import { allowActions } from '../conventions/statements.ts';
import type { RoleGrant } from './role-grant.ts';

/** On the KMS key of small secrets; the context of the encryption says what kind they are. */
const onKey =
  (actions: string[], context?: Record<string, Record<string, string>>): RoleGrant =>
  (role, { testKeysKey }) =>
    allowActions(role, actions, [testKeysKey.keyArn], context);

const read = ['kms:Decrypt'];
const write = ['kms:Encrypt'];

/** The context of the values of test keys has no task. */
const ofTasks = { StringLike: { 'kms:EncryptionContext:taskId': 'task_*' } };
/** Nor has it a connection. */
const ofConnections = { StringLike: { 'kms:EncryptionContext:connectionId': 'mcpconn_*' } };
const ofRuns = { StringEquals: { 'kms:EncryptionContext:purpose': 'run' } };
const ofBudgets = { StringEquals: { 'kms:EncryptionContext:purpose': 'budget' } };
const ofTelemetry = { StringEquals: { 'kms:EncryptionContext:purpose': 'telemetry' } };

/** Values that the table has, encrypted. */
export const keyGrants = {
  'test-keys': onKey([...write, ...read]),
  'test-keys:write': onKey(write),
  'push-secrets:read': onKey(read, ofTasks),
  'push-secrets:write': onKey(write, ofTasks),
  'mcp-connections:read': onKey(read, ofConnections),
  'mcp-connections:write': onKey(write, ofConnections),
  'run-values': onKey([...write, ...read], ofRuns),
  'budget-secrets:read': onKey(read, ofBudgets),
  'budget-secrets:write': onKey(write, ofBudgets),
  'telemetry-secrets:read': onKey(read, ofTelemetry),
  'telemetry-secrets:write': onKey(write, ofTelemetry),
} satisfies Partial<Record<Use, RoleGrant>>;
