import type { OperationResponse } from '../../../api/api.ts';
import type { Change } from '../../../ui/values/change-list.tsx';

export type Planned = OperationResponse<'workspace.plan'>;
export interface Input {
  document: string;
  prune: boolean;
  publish: boolean;
}
export type PlannedChange = Planned['changes'][number];
export type Kind = PlannedChange['kind'];
export type Action = Exclude<PlannedChange['action'], 'none'>;
export type RealChange = PlannedChange & { action: Action };

export const actions = ['create', 'update', 'publish', 'delete'] as const satisfies Action[];

export const looks = { create: 'good', update: 'warn', publish: 'busy', delete: 'bad' } as const;

const isReal = (change: PlannedChange): change is RealChange => change.action !== 'none';

/** Those that do something. */
export const realChanges = (changes: readonly PlannedChange[]): RealChange[] => changes.filter(isReal);

export const isSame = (one: Input, other: Input) =>
  one.document === other.document && one.prune === other.prune && one.publish === other.publish;

/** The resource at a path of the document: a plan has those of the document first, in their order. */
export function nameAt(changes: readonly PlannedChange[], path: string): string | undefined {
  const [kind, index] = path.split('.');
  return changes.filter((change) => change.kind === kind)[Number(index)]?.name;
}

/** The service writes null for what is not there. */
export const changesIn = ({ diff }: PlannedChange): Change[] =>
  diff.map(({ path, before, after }) => ({
    path,
    before,
    after,
    kind: before == null ? 'added' : after == null ? 'removed' : 'changed',
  }));
