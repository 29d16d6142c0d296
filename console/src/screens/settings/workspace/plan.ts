import type { OperationResponse } from '../../../api/api.ts';
import type { Change } from '../../../ui/values/change-list.tsx';

export type Planned = OperationResponse<'workspace.plan'>;
export interface Input {
  document: string;
  prune: boolean;
  publish: boolean;
}
export type ShownChange = Planned['changes'][number];
export type Kind = ShownChange['kind'];
export type ChangeAction = Exclude<ShownChange['action'], 'none'>;
export type RealChange = ShownChange & { action: ChangeAction };

export const actions = ['create', 'update', 'publish', 'delete'] as const satisfies ChangeAction[];

export const looks = { create: 'good', update: 'warn', publish: 'busy', delete: 'bad' } as const;

const isReal = (change: ShownChange): change is RealChange => change.action !== 'none';

/** Those that do something. */
export const realChanges = (changes: readonly ShownChange[]): RealChange[] => changes.filter(isReal);

export const isSameInput = (one: Input, other: Input) =>
  one.document === other.document && one.prune === other.prune && one.publish === other.publish;

/** The resource at a path of the document: a plan has those of the document first, in their order. */
export function nameAt(changes: readonly ShownChange[], path: string): string | undefined {
  const [kind, index] = path.split('.');
  return changes.filter((change) => change.kind === kind)[Number(index)]?.name;
}

/** The service writes null for what is not there. */
export const changesIn = ({ diff }: ShownChange): Change[] =>
  diff.map(({ path, before, after }) => ({
    path,
    before,
    after,
    kind: before == null ? 'added' : after == null ? 'removed' : 'changed',
  }));
