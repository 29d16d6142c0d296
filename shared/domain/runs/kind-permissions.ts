import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { type RunKind, runKinds } from './run.ts';

type Action = 'READ' | 'EXECUTE' | 'WRITE';

/** Whose permission a run of a kind takes. */
const resources = { batch: 'FLOWS', flow: 'FLOWS', agent: 'AGENTS', tool: 'TOOLS' } as const satisfies Record<
  RunKind,
  string
>;

export const toKindPermission = <A extends Action>(kind: RunKind, action: A) =>
  `${resources[kind]}:${action}` as const satisfies Permission;

/** The kinds of runs whose flows, agents or tools the caller may read, execute or change. */
export const listKinds = (permissions: readonly string[], action: Action): RunKind[] =>
  runKinds.filter((kind) => covers(permissions, toKindPermission(kind, action)));
