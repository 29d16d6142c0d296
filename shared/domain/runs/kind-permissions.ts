import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { type RunKind, runKinds } from './run.ts';

/** Whose permission a run of a kind takes. */
const resources = { batch: 'FLOWS', flow: 'FLOWS', agent: 'AGENTS', tool: 'TOOLS' } as const satisfies Record<
  RunKind,
  string
>;

export const kindPermission = <A extends 'READ' | 'WRITE' | 'EXECUTE'>(kind: RunKind, action: A) =>
  `${resources[kind]}:${action}` as const satisfies Permission;

/** The kinds whose runs a caller may read. */
export const readableKinds = (permissions: readonly string[]): RunKind[] =>
  runKinds.filter((kind) => covers(permissions, kindPermission(kind, 'READ')));
